import MediaEngine

/// A stream of a session that can be tapped.
public struct TappableStream: Hashable, Sendable, Identifiable {
    /// The `StreamID` of a WebSocket client's stream, or the stream name of a publisher by WHIP or plain SRTP.
    public let id: String
    public let hasAudio: Bool
    public let hasVideo: Bool
    /// Size of the largest encoding's last key frame in pixels; nil before the first one.
    public let width: Int?
    public let height: Int?

    init(_ stream: StreamSnapshot) {
        id = stream.name
        hasAudio = stream.audio != nil
        hasVideo = stream.video != nil
        width = stream.video?.width
        height = stream.video?.height
    }
}
