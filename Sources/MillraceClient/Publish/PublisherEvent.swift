public import Signaling

/// Event of a publisher.
public enum PublisherEvent: Hashable, Sendable {
    /// The stream is visible to all users.
    case created(StreamID)
    /// The stream has ended.
    case destroyed(StreamID, StreamEndReason)
    /// Publishing or encoding failed.
    case failed(SessionError)
    /// A moderator has muted the stream; `setMuted(_:_:)` unmutes it.
    case muteForced
    /// Media can flow, for the first time or again.
    case mediaConnected
    /// Media stopped flowing because the path was lost.
    case mediaInterrupted
}
