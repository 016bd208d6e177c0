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
    /// Whether the publisher encrypts each frame end to end (E2E-1): the relay can neither decode it nor show it.
    public var isEncrypted: Bool

    public init(
        id: StreamID, connection: ConnectionID, name: String, videoType: VideoType = .camera, hasAudio: Bool,
        hasVideo: Bool, isAudioMuted: Bool = false, isVideoMuted: Bool = false, width: Int = 0, height: Int = 0,
        isDropped: Bool = false, createdAt: Int64, isEncrypted: Bool = false
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
        self.isEncrypted = isEncrypted
    }

    /// Earlier relays send no `isEncrypted`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(StreamID.self, forKey: .id)
        connection = try container.decode(ConnectionID.self, forKey: .connection)
        name = try container.decode(String.self, forKey: .name)
        videoType = try container.decode(VideoType.self, forKey: .videoType)
        hasAudio = try container.decode(Bool.self, forKey: .hasAudio)
        hasVideo = try container.decode(Bool.self, forKey: .hasVideo)
        isAudioMuted = try container.decode(Bool.self, forKey: .isAudioMuted)
        isVideoMuted = try container.decode(Bool.self, forKey: .isVideoMuted)
        width = try container.decode(Int.self, forKey: .width)
        height = try container.decode(Int.self, forKey: .height)
        isDropped = try container.decode(Bool.self, forKey: .isDropped)
        createdAt = try container.decode(Int64.self, forKey: .createdAt)
        isEncrypted = try container.decodeIfPresent(Bool.self, forKey: .isEncrypted) ?? false
    }
}
