import Signaling

/// The change of a session's state that a request causes, if the relay grants it. The relay answers before it tells the change to everybody:
/// without this, state that is read when a call has returned would still be that of before.
enum GrantedChange: Hashable, Sendable {
    case muteForced(Bool)
    case shareLocked(Bool)
    case chatAllowed(Bool)
    case subsessionsStarted
    case subsessionsStopped
    case subsessionsWithdrawn
    case subsessionJoined(SubsessionID)
    case mainSessionJoined

    /// Nil for a request that changes nothing of that, or whose effect is the relay's choice.
    init?(_ request: Request) {
        switch request {
        case .forceMuteAll: self = .muteForced(true)
        case .disableForceMute: self = .muteForced(false)
        case .lockShare(let body): self = .shareLocked(body.isLocked)
        case .setChatAllowed(let body): self = .chatAllowed(body.isAllowed)
        case .startSubsessions: self = .subsessionsStarted
        case .stopSubsessions: self = .subsessionsStopped
        case .withdrawSubsessions: self = .subsessionsWithdrawn
        case .joinSubsession(let body): self = .subsessionJoined(body.subsession)
        case .returnToMainSession: self = .mainSessionJoined
        default: return nil
        }
    }
}
