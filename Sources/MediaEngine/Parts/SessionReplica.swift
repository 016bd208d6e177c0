/// Streams of a session, as its home part describes them to the other parts. It is always complete, so that a message that a stalled worker
/// did not accept needs no repetition: the next one replaces it.
struct SessionReplica: Sendable {
    /// In order of publication.
    let streams: [StreamReplica]
    /// Number of the session's transports on each worker.
    let transports: WorkerTotal
}
