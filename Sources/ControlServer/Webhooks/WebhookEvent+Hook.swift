import Conference
import Signaling

extension WebhookEvent {
    /// Creates the event that tells the application of a decision of `Conference`.
    ///
    /// - Parameter time: milliseconds since 1970.
    init(_ hook: HookEvent, session: SessionKey, sessionID: SessionID, time: Int64) {
        func make(_ kind: Kind) -> WebhookEvent {
            WebhookEvent(kind, session: session, sessionID: sessionID, time: time)
        }
        switch hook {
        case .sessionStarted: self = make(.sessionStarted)
        case .sessionEnded(let reason):
            self = make(.sessionEnded)
            self.reason = reason.rawValue
        case .participantJoined(let user):
            self = make(.participantJoined)
            participant = user
        case .participantLeft(let user, let reason):
            self = make(.participantLeft)
            participant = user
            self.reason = reason.rawValue
        case .streamPublished(let stream):
            self = make(.streamPublished)
            self.stream = stream
        case .streamUnpublished(let stream, let reason):
            self = make(.streamUnpublished)
            self.stream = stream
            self.reason = reason.rawValue
        case .liveStarted(let id, let stream):
            self = make(.liveStarted)
            live = Push(id: id, stream: stream)
        case .liveFailed(let failure):
            self = make(.liveFailed)
            live = Push(id: failure.id, stream: failure.stream, detail: failure.detail, retryIn: failure.retryIn)
            reason = failure.reason.rawValue
        case .liveStopped(let end):
            self = make(.liveStopped)
            live = Push(id: end.id, stream: end.stream)
            reason = end.reason.rawValue
        }
    }
}
