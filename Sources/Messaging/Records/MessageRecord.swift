/// A stored message.
package struct MessageRecord: Hashable, Sendable {
    package var thread: ThreadRecord.ID
    package var number: Int64
    package var sender: UserRecord.ID
    /// Id chosen by the sender.
    package var id: String
    package var text: String
    /// Milliseconds since 1970.
    package var time: Int64

    package init(
        thread: ThreadRecord.ID, number: Int64, sender: UserRecord.ID, id: String, text: String, time: Int64
    ) {
        self.thread = thread
        self.number = number
        self.sender = sender
        self.id = id
        self.text = text
        self.time = time
    }
}
