package import Signaling

/// Command for the media plane. All are idempotent, and do nothing if their stream or connection is gone.
package enum MediaCommand: Hashable, Sendable {
    /// Drops or forwards packets of the kind as they arrive (USR-8).
    case setMuted(StreamID, TrackKind, Bool)
    /// Stops forwarding the stream at once; the publisher's peer connection may stay open.
    case unpublish(StreamID)
    case subscribe(ConnectionID, StreamID, SubscriptionPreferences)
    case updateSubscription(ConnectionID, StreamID, SubscriptionPreferences)
    case unsubscribe(ConnectionID, StreamID)
    /// Moves connections to a location. No media passes between connections in different locations, whatever their
    /// subscriptions.
    case relocate([ConnectionID], Location)
    /// Closes both peer connections of a connection and ends its subscriptions.
    case closeMedia(ConnectionID)
}
