/// One user's view of a conversation.
package struct EntryRecord: Hashable, Sendable {
    package var user: UserRecord.ID
    package var thread: ThreadRecord.ID
    /// Position in the list: tick of the newest message, or of the entry's creation.
    package var order: Int64 = 0
    /// Tick of the newest change.
    package var change: Int64 = 0
    /// Number of other users' messages after `readThrough`.
    package var unread = 0
    package var readThrough: Int64 = 0
    /// Number of the last message that this user cannot see, because it was deleted by the user or sent before its
    /// membership.
    package var clearedThrough: Int64 = 0
    package var isMuted = false
    package var isListed = false
    /// Position in the order of joining, larger is later; 0 if the user is not a member.
    package var joined: Int64 = 0

    package init(user: UserRecord.ID, thread: ThreadRecord.ID) {
        self.user = user
        self.thread = thread
    }

    /// Contribution to the user's total of unread messages.
    package var counted: Int { isListed && !isMuted ? unread : 0 }
}
