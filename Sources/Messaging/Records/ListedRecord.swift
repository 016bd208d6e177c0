/// One row of a user's list, with all data for the client.
package struct ListedRecord: Sendable {
    package var entry: EntryRecord
    package var thread: ThreadRecord
    /// Id and display name of the other user in a one-to-one conversation.
    package var peer: (id: String, name: String)?
    /// Newest message that the user can see.
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
