/// One row of a user's list: all that is told of a conversation.
package struct ListedRecord: Sendable {
    package var entry: EntryRecord
    package var thread: ThreadRecord
    /// Of a conversation of two: the other user's id and display name.
    package var peer: (id: String, name: String)?
    /// The newest message that the user can see.
    package var last: StoredMessage?

    package init(
        entry: EntryRecord, thread: ThreadRecord, peer: (id: String, name: String)?, last: StoredMessage?
    ) {
        self.entry = entry
        self.thread = thread
        self.peer = peer
        self.last = last
    }
}
