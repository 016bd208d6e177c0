import Conference
import Signaling

extension LiveSession {
    /// Posts an event to the application's webhook.
    func post(_ hook: HookEvent) {
        var event: WebhookEvent
        func make(_ kind: WebhookEvent.Kind) -> WebhookEvent {
            WebhookEvent(kind, session: key, sessionID: id, time: ControlClock.wall)
        }
        switch hook {
        case .sessionStarted: event = make(.sessionStarted)
        case .sessionEnded(let reason):
            event = make(.sessionEnded)
            event.reason = reason.rawValue
        case .participantJoined(let user):
            event = make(.participantJoined)
            event.participant = user
        case .participantLeft(let user, let reason):
            event = make(.participantLeft)
            event.participant = user
            event.reason = reason.rawValue
        case .streamPublished(let stream):
            event = make(.streamPublished)
            event.stream = stream
        case .streamUnpublished(let stream, let reason):
            event = make(.streamUnpublished)
            event.stream = stream
            event.reason = reason.rawValue
        case .liveStarted(let id, let stream):
            event = make(.liveStarted)
            event.live = .init(id: id, stream: stream)
        case .liveFailed(let failure):
            event = make(.liveFailed)
            event.live = .init(
                id: failure.id, stream: failure.stream, detail: failure.detail, retryIn: failure.retryIn)
            event.reason = failure.reason.rawValue
        case .liveStopped(let end):
            event = make(.liveStopped)
            event.live = .init(id: end.id, stream: end.stream)
            event.reason = end.reason.rawValue
        }
        environment.hooks.post(event)
    }
}
