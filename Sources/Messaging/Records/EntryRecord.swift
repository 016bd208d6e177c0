/// A conversation as one of its users has it.
package struct EntryRecord: Hashable, Sendable {
    package var user: UserRecord.ID
    package var thread: ThreadRecord.ID
    /// Place in the list: the tick of its newest message, or of its beginning.
    package var order: Int64 = 0
    /// Tick of its newest change.
    package var change: Int64 = 0
    /// Messages of others that are newer than `readThrough`.
    package var unread = 0
    package var readThrough: Int64 = 0
    /// Messages up to this number are not for this user: deleted by it, or older than its membership.
    package var clearedThrough: Int64 = 0
    package var isMuted = false
    package var isListed = false
    /// When it became a member: the larger, the later. 0: it is none.
    package var joined: Int64 = 0

    package init(user: UserRecord.ID, thread: ThreadRecord.ID) {
        self.user = user
        self.thread = thread
    }

    /// What it adds to its user's total.
    package var counted: Int { isListed && !isMuted ? unread : 0 }
}
