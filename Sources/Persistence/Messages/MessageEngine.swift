import Messaging

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
