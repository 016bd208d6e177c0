import Signaling

/// What the session's connection tells its media.
enum MediaNotice: Sendable {
    /// The session was joined; whatever was published and subscribed to is to be so again.
    case joined
    /// The connection was lost; media may still flow.
    case interrupted
    /// The connection is back under its id.
    case resumed(publishLost: Bool, subscribeLost: Bool)
    case offer(OfferMade)
    case subscription(SubscriptionChanged)
    case reset(publish: Bool, subscribe: Bool)
    case ended(DisconnectReason)
}
