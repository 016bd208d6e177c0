internal import MediaEngine

/// A stream of a session that can be tapped.
public struct TappableStream: Hashable, Sendable, Identifiable {
    /// Of a WebSocket client's stream the `StreamID`; of a publisher by WHIP or plain SRTP its stream name.
    public let id: String
    public let hasAudio: Bool
    public let hasVideo: Bool
    /// Pixels of the largest encoding's last key frame; nil before the first.
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
