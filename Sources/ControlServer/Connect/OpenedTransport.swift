import MediaBase
import MediaEngine

/// Transport that the engine has opened for a publisher or subscriber without a control connection.
struct OpenedTransport<Answer: Sendable>: Sendable {
    /// The engine's answer, for the client.
    let answer: Answer
    let id: TransportID
    /// Codec of a publisher's video; nil without video.
    var codec: VideoCodec?
    /// Kinds of a publisher's tracks; nil: those of its request.
    var kinds: Set<MediaKind>?
}
