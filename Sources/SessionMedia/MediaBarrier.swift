import Signaling

/// Work that continues when calls that were made at once have been answered, and the publish requests that repeat their mutes have ended.
struct MediaBarrier: Sendable {
    enum Work: Sendable {
        case request(MediaRequestID)
        case publish(ConnectionID)
    }

    var pending: Set<MediaTicket>
    /// Publish requests in progress whose streams are muted. Their transports may open with the state before the mute, so it is in
    /// force only when the confirmation has repeated it.
    var publications: Set<MediaRequestID> = []
    var refusal: MediaRefusal?
    /// Sender of the request; its end ends the wait.
    let client: ConnectionID?
    let work: Work

    var isFinished: Bool { pending.isEmpty && publications.isEmpty }
}
