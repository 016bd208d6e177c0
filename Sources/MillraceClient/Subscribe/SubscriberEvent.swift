public import Signaling

/// What becomes of a subscription.
public enum SubscriberEvent: Hashable, Sendable {
    /// Media can flow from now on.
    case connected
    case videoDisabled(VideoChangeReason)
    case videoEnabled(VideoChangeReason)
    /// The publisher, or one's own connection, was lost and may come back.
    case dropped
    case reconnected
    /// Publisher and oneself are in different rooms of the session from now on, or in the same one again.
    case suspended
    case resumed
    /// It is over: the stream ended or the relay could not go on with it.
    case ended(StreamEndReason?)
}
