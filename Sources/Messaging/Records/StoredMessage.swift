/// A message with its sender's user id.
package struct StoredMessage: Hashable, Sendable {
    package var record: MessageRecord
    /// User id of the sender.
    package var from: String

    package init(record: MessageRecord, from: String) {
        self.record = record
        self.from = from
    }
}
