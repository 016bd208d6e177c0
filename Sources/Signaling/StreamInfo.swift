/// A published stream as all users of its session see it.
public struct StreamInfo: Hashable, Sendable, Codable, Identifiable {
    public var id: StreamID
    /// Connection of the publisher.
    public var connection: ConnectionID
    public var name: String
    public var videoType: VideoType
    /// Whether the publisher sends this kind of media; false while it is muted by the publisher or the relay.
    public var hasAudio: Bool
    public var hasVideo: Bool
    /// Whether the relay drops this kind of media until it is unmuted.
    public var isAudioMuted: Bool
    public var isVideoMuted: Bool
    /// Size of the largest encoding in pixels; 0 if unknown.
    public var width: Int
    public var height: Int
    /// The publisher is lost and may return: no media arrives, but the stream has not ended.
    public var isDropped: Bool
    /// Milliseconds since 1970.
    public var createdAt: Int64
    /// Whether the publisher encrypts each frame end to end (E2E-1): the relay can neither decode it nor show it.
    public var isEncrypted: Bool
    /// Video codec, by the name of its RTP payload format: `VP8`, `H264`, `VP9` or `AV1`. Nil if the stream has no video.
    public var codec: String?

    public init(
        id: StreamID, connection: ConnectionID, name: String, videoType: VideoType = .camera, hasAudio: Bool,
        hasVideo: Bool, isAudioMuted: Bool = false, isVideoMuted: Bool = false, width: Int = 0, height: Int = 0,
        isDropped: Bool = false, createdAt: Int64, isEncrypted: Bool = false, codec: String? = nil
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
        self.codec = codec
    }

    /// Earlier relays send neither `isEncrypted` nor `codec`.
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
        codec = try container.decodeIfPresent(String.self, forKey: .codec)
    }
}
