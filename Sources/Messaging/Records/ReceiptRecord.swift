/// Remains of a removed message, to recognize a repetition by its sender (CHT-9).
package struct ReceiptRecord: Hashable, Sendable {
    package var sender: UserRecord.ID
    /// Id chosen by the sender.
    package var id: String
    package var thread: ThreadRecord.ID
    package var number: Int64
    /// Time of the message, in milliseconds since 1970.
    package var time: Int64
    /// Time of the removal, in milliseconds since 1970.
    package var removed: Int64

    package init(_ message: MessageRecord, removed: Int64) {
        self.init(
            sender: message.sender, id: message.id, thread: message.thread, number: message.number, time: message.time,
            removed: removed)
    }

    package init(
        sender: UserRecord.ID, id: String, thread: ThreadRecord.ID, number: Int64, time: Int64, removed: Int64
    ) {
        self.sender = sender
        self.id = id
        self.thread = thread
        self.number = number
        self.time = time
        self.removed = removed
    }
}
