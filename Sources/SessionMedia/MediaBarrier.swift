import Signaling

/// Work that continues when calls that were made at once have been answered.
struct MediaBarrier: Sendable {
    enum Work: Sendable {
        case request(MediaRequestID)
        case publish(ConnectionID)
    }

    var pending: Set<MediaTicket>
    var refusal: MediaRefusal?
    /// Sender of the request; its end ends the wait.
    let client: ConnectionID?
    let work: Work
}
