/// Place of a relay in the sequence of announcements: the number up to which its users were told.
struct AnnouncementPosition: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// - Parameter isMore: whether further announcements may follow.
        case tell(isMore: Bool)
        /// Announcements were removed before they were read, or the database lost some of its data.
        case missed
    }

    /// nil before the first answer of the database: no user was logged in before.
    private(set) var number: Int64?

    /// Takes an answer of the database over.
    ///
    /// - Parameters:
    ///   - last: number of the newest announcement.
    ///   - removed: number of the newest one that was removed.
    ///   - page: numbers of the next announcements.
    ///   - limit: maximum size of a page.
    mutating func read(last: Int64, removed: Int64, page: [Int64], limit: Int) -> Step {
        guard let number else {
            self.number = last
            return .tell(isMore: false)
        }
        guard number >= removed, number <= last else {
            self.number = last
            return .missed
        }
        self.number = page.last ?? number
        return .tell(isMore: page.count >= limit)
    }

    /// Passes an announcement of this relay, whose users are told by the answers.
    mutating func pass(_ number: Int64) { self.number = number }
}
