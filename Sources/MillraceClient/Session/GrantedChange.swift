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
    init?(_ request: any RequestBody) {
        switch request {
        case is ForceMuteAllRequest: self = .muteForced(true)
        case is DisableForceMuteRequest: self = .muteForced(false)
        case let body as LockShareRequest: self = .shareLocked(body.isLocked)
        case let body as SetChatAllowedRequest: self = .chatAllowed(body.isAllowed)
        case is StartSubsessionsRequest: self = .subsessionsStarted
        case is StopSubsessionsRequest: self = .subsessionsStopped
        case is WithdrawSubsessionsRequest: self = .subsessionsWithdrawn
        case let body as JoinSubsessionRequest: self = .subsessionJoined(body.subsession)
        case is ReturnToMainSessionRequest: self = .mainSessionJoined
        default: return nil
        }
    }
}
