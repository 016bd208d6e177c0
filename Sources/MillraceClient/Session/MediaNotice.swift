import Signaling

/// Notification from the session's connection to its media.
enum MediaNotice: Sendable {
    /// The session was joined; publications and subscriptions have to be made again.
    case joined
    /// The connection was lost; media may still flow.
    case interrupted
    /// The connection was resumed under its id; with a snapshot, the streams' states may have changed without events.
    case resumed(publishLost: Bool, subscribeLost: Bool, hasSnapshot: Bool)
    /// Follows `resumed` with a snapshot if the subscribe peer connection continues: the relay has subscriptions to these streams.
    case continued([StreamID])
    /// Participants have agreed on other keys.
    case keysChanged
    case offer(OfferMade)
    case subscription(SubscriptionChanged)
    case reset(publish: Bool, subscribe: Bool)
    case ended(DisconnectReason)
}
