package import Signaling

/// What the media plane shall do. All of them may be given twice, and for what is gone already: then they do nothing.
package enum MediaCommand: Hashable, Sendable {
    /// Packets of the kind are dropped where they arrive, or pass again (USR-8).
    case setMuted(StreamID, TrackKind, Bool)
    /// Stops forwarding of the stream at once; the publisher's peer connection may live on.
    case unpublish(StreamID)
    case subscribe(ConnectionID, StreamID, SubscriptionPreferences)
    case updateSubscription(ConnectionID, StreamID, SubscriptionPreferences)
    case unsubscribe(ConnectionID, StreamID)
    /// They are in that place from now on. Nothing passes between two who are in different places, whatever is subscribed to.
    case place([ConnectionID], Place)
    /// Both peer connections of it, with all its subscriptions.
    case closeMedia(ConnectionID)
}
