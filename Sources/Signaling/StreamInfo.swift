/// A published stream as everybody in its session sees it.
public struct StreamInfo: Hashable, Sendable, Codable, Identifiable {
    public var id: StreamID
    /// Whose it is.
    public var connection: ConnectionID
    public var name: String
    public var videoType: VideoType
    /// The publisher sends this kind now; false as well while it is muted by whomever.
    public var hasAudio: Bool
    public var hasVideo: Bool
    /// Kept from everybody by the relay until the publisher unmutes itself.
    public var isAudioMuted: Bool
    public var isVideoMuted: Bool
    /// Of the largest encoding; 0 before they are known.
    public var width: Int
    public var height: Int
    /// The publisher is lost and may come back: nothing comes, nothing has ended.
    public var isDropped: Bool
    /// Milliseconds since 1970.
    public var createdAt: Int64

    public init(
        id: StreamID, connection: ConnectionID, name: String, videoType: VideoType = .camera, hasAudio: Bool,
        hasVideo: Bool, isAudioMuted: Bool = false, isVideoMuted: Bool = false, width: Int = 0, height: Int = 0,
        isDropped: Bool = false, createdAt: Int64
    ) {
        self.id = id
        self.connection = connection
        self.name = name
        self.videoType = videoType
        self.hasAudio = hasAudio
        self.hasVideo = hasVideo
        self.isAudioMuted = isAudioMuted
        self.isVideoMuted = isVideoMuted
        self.width = width
        self.height = height
        self.isDropped = isDropped
        self.createdAt = createdAt
    }
}
