/// Position of a relay in the sequence of announcements: the number up to which its users were told.
struct AnnouncementPosition: Hashable, Sendable {
    /// Announcement in the database. The tag is random: after a failover that has lost commits, their numbers are used again under other tags.
    struct Mark: Hashable, Sendable {
        var number: Int64
        /// nil: the announcement was removed.
        var tag: Int64?
    }

    /// Answer of the database to the question for the announcements behind a position.
    struct Answer: Hashable, Sendable {
        /// The newest announcement.
        var last: Mark
        /// Number of the newest one that was removed.
        var removed: Int64
        /// Tag that the announcement at the position has now; nil if there is none.
        var tag: Int64?
        /// The next announcements, in order; not all of them, if they are many or large.
        var page: [Mark]
    }

    enum Step: Hashable, Sendable {
        /// - Parameter isMore: whether further announcements follow.
        case tell(isMore: Bool)
        /// Announcements were removed before they were read, or the database lost some of its data.
        case missed
    }

    private var mark: Mark?
    /// Whether users may have read from the database, or may have missed something, before the next answer.
    private var isLate = false

    /// Number of the newest announcement that users were told of; nil: the next answer begins at the newest one.
    var number: Int64? { mark?.number }

    mutating func read(_ answer: Answer) -> Step {
        guard let mark else {
            defer { isLate = false }
            self.mark = answer.last
            return isLate ? .missed : .tell(isMore: false)
        }
        let isSame = mark.tag == nil || answer.tag == mark.tag || answer.tag == nil && mark.number <= answer.removed
        guard mark.number >= answer.removed, mark.number <= answer.last.number, isSame,
            !answer.page.isEmpty || mark.number == answer.last.number
        else {
            self.mark = answer.last
            return .missed
        }
        let newest = answer.page.last ?? mark
        self.mark = newest
        return .tell(isMore: newest.number < answer.last.number)
    }

    /// Passes an announcement of this relay, whose users are told by the answers.
    mutating func pass(_ mark: Mark) { self.mark = mark }

    /// Notes that the database could not be asked. Users may have connected, and read from it on another connection, by the first answer.
    mutating func noteFailure() { if mark == nil { isLate = true } }

    /// Skips all announcements up to the newest one at the next answer, which is then `missed`.
    mutating func skip() {
        mark = nil
        isLate = true
    }
}
