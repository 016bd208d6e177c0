public import Signaling

/// What becomes of a publisher.
public enum PublisherEvent: Hashable, Sendable {
    /// Everybody can see the stream from now on.
    case created(StreamID)
    /// The stream is really gone.
    case destroyed(StreamID, StreamEndReason)
    case failed(SessionError)
    /// A moderator muted it; `setMuted(_:_:)` lifts that.
    case muteForced
    /// Media can flow, stops flowing because the path is lost, or goes on.
    case mediaConnected
    case mediaInterrupted
}
