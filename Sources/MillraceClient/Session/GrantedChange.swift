import Signaling

/// Change of the session's state that a successful request causes. The relay answers the request before it sends the event to all users.
/// The client applies the change when the answer arrives, so that properties read right after the call already show it.
enum GrantedChange: Hashable, Sendable {
    case muteForced(Bool)
    case shareLocked(Bool)
    case chatAllowed(Bool)
    case subsessionsStarted
    case subsessionsStopped
    case subsessionsWithdrawn
    case subsessionJoined(SubsessionID)
    case mainSessionJoined

    /// Returns nil if the request changes none of this state, or if the relay decides its effect.
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
