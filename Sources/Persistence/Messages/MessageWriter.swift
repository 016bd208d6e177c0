import MediaBase

/// The connection of an engine that writes. Used on the writer's thread.
protocol MessageWriter {
    /// Time after which a transaction takes no further command; nil: no limit. Other relays wait for its end.
    var batchTime: MediaTime? { get }
    /// Calls `body` within a transaction, and commits its changes. If it throws, all of them are rolled back.
    func transact(_ body: (any DivisibleTransaction) throws -> MessageBatch) throws -> MessageBatch
}
