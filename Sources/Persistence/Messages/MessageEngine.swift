import MediaBase
package import Messaging

/// Database of a conversation store: its connections, and the thread that writes.
protocol MessageEngine: AnyObject, Sendable {
    /// Calls `body` on the writer's thread, after the bodies of earlier calls.
    func write(_ body: @escaping @Sendable (any MessageWriter) -> Void)
    /// Calls `body` with a transaction that only reads. It sees all commits that this process made before.
    func read(_ body: @escaping @Sendable (any DivisibleTransaction) throws -> MessagingOutcome) async throws
        -> MessagingOutcome
    /// Size of the database in bytes.
    var bytes: Int { get }
    /// Checks the database; returns a text for operators if it is damaged, otherwise nil.
    func integrityFault() throws -> String?
    /// Ends the connections after the last command.
    ///
    /// - Parameter waits: whether the call waits for that. The writer's thread must not wait for itself.
    func close(waits: Bool)
}

/// The connection of an engine that writes. Used on the writer's thread.
protocol MessageWriter {
    /// Time after which a transaction takes no further command; nil: no limit. Other relays wait for its end.
    var batchTime: MediaTime? { get }
    /// Calls `body` within a transaction, and commits its changes. If it throws, all of them are rolled back.
    func transact(_ body: (any DivisibleTransaction) throws -> MessageBatch) throws -> MessageBatch
}

/// Transaction of several commands.
protocol DivisibleTransaction: MessageTransaction {
    /// Calls `body`, and rolls its changes back if it throws a `SignalingError`.
    func isolate<Value>(_ body: () throws -> Value) throws -> Value
}

extension MessageStore: DivisibleTransaction {}

/// Results of the commands of one commit.
struct MessageBatch: Sendable {
    var answers: [MessageDatabase.Answer] = []
    /// Events of the commit, in their order.
    var announcements: [MessageAnnouncement] = []
}

/// Events of one command for users of one app.
package struct MessageAnnouncement: Hashable, Sendable {
    package var app: String
    package var deliveries: [MessageDelivery]
}

/// News of a store that other relays use as well.
package enum MessageNews: Hashable, Sendable {
    /// Another relay has committed these events. They precede those of all later answers.
    case announced(MessageAnnouncement)
    /// Events of other relays may have been lost. Users have to read their lists again.
    case missed
}
