/// Publishes streams, or renegotiates the publish peer connection. All streams of a connection share one peer
/// connection; each offer describes all of them.
public struct PublishRequest: RequestBody {
    public static let method = "publish"
    public static let permission: Permission = .canPublish

    /// One stream in the offer.
    public struct Stream: Hashable, Sendable, Codable {
        /// Id of the stream; nil for a new stream, whose id is in the answer.
        public var id: StreamID?
        public var name: String
        public var videoType: VideoType
        /// MIDs of the stream's media sections in the offer; at least one of the two.
        public var audioMid: String?
        public var videoMid: String?
        public var width: Int?
        public var height: Int?
        /// Whether the publisher encrypts each frame end to end; nil for false. A stream keeps the value that it began with.
        public var isEncrypted: Bool?

        public init(
            id: StreamID? = nil, name: String, videoType: VideoType = .camera, audioMid: String? = nil,
            videoMid: String? = nil, width: Int? = nil, height: Int? = nil, isEncrypted: Bool? = nil
        ) {
            self.id = id
            self.name = name
            self.videoType = videoType
            self.audioMid = audioMid
            self.videoMid = videoMid
            self.width = width
            self.height = height
            self.isEncrypted = isEncrypted
        }
    }

    public var sdp: String
    /// All streams of the offer. Streams of an earlier offer that are missing here are unpublished.
    public var streams: [Stream]

    public init(sdp: String, streams: [Stream]) {
        self.sdp = sdp
        self.streams = streams
    }

    public struct Answer: Hashable, Sendable, Codable {
        public var sdp: String
        /// Ids in the order of the request.
        public var streams: [StreamID]
        public init(sdp: String, streams: [StreamID]) {
            self.sdp = sdp
            self.streams = streams
        }
    }
}

/// Ends a stream of the sender. Its media sections may stay in the peer connection; their packets are dropped.
public struct UnpublishRequest: RequestBody {
    public static let method = "unpublish"
    public static let permission: Permission = .canPublish
    public var stream: StreamID
    public init(stream: StreamID) { self.stream = stream }
}

/// Changes properties of a stream of the sender and announces them. Nil keeps the current value.
public struct UpdateStreamRequest: RequestBody {
    public static let method = "updateStream"
    public static let permission: Permission = .canPublish
    public var stream: StreamID
    public var name: String?
    public var width: Int?
    public var height: Int?

    public init(stream: StreamID, name: String? = nil, width: Int? = nil, height: Int? = nil) {
        self.stream = stream
        self.name = name
        self.width = width
        self.height = height
    }
}

/// Mutes or unmutes a track of the sender. The relay also drops the packets of a muted track.
public struct SetMutedRequest: RequestBody {
    public static let method = "setMuted"
    public static let permission: Permission = .canPublish
    public var stream: StreamID
    public var kind: TrackKind
    public var isMuted: Bool

    public init(stream: StreamID, kind: TrackKind, isMuted: Bool) {
        self.stream = stream
        self.kind = kind
        self.isMuted = isMuted
    }
}

/// Preferences of a subscription. The relay chooses the closest layers that the subscriber's path can carry.
public struct SubscriptionPreferences: Hashable, Sendable, Codable {
    public var audio: Bool
    public var video: Bool
    /// Size in pixels at which the video is shown. The relay sends the smallest encoding that is at least as large; nil
    /// for the largest encoding.
    public var width: Int?
    public var height: Int?
    /// Frames per second; nil for all frames.
    public var frameRate: Int?
    /// Priority of the video if the path cannot carry all, 0 to 100; larger values are served first.
    public var priority: Int
    /// Maximum size in pixels. Larger encodings are sent only if there is no smaller one; nil for no bound.
    public var maximumWidth: Int?
    public var maximumHeight: Int?

    public init(
        audio: Bool = true, video: Bool = true, width: Int? = nil, height: Int? = nil, frameRate: Int? = nil,
        priority: Int = 50, maximumWidth: Int? = nil, maximumHeight: Int? = nil
    ) {
        self.audio = audio
        self.video = video
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.priority = priority
        self.maximumWidth = maximumWidth
        self.maximumHeight = maximumHeight
    }
}

/// Subscribes to a stream. An `offer` event with its media sections follows; subscriptions made at nearly the same time
/// share one offer.
public struct SubscribeRequest: RequestBody {
    public static let method = "subscribe"
    public static let permission: Permission = .canSubscribe
    public var stream: StreamID
    public var preferences: SubscriptionPreferences
    /// Transport of the subscribe peer connection, which the first subscription creates. Nil keeps the current one,
    /// initially WebRTC.
    public var transport: MediaTransport?

    public init(
        stream: StreamID, preferences: SubscriptionPreferences = SubscriptionPreferences(),
        transport: MediaTransport? = nil
    ) {
        self.stream = stream
        self.preferences = preferences
        self.transport = transport
    }
}

/// Changes the preferences of a subscription, without renegotiation.
public struct UpdateSubscriptionRequest: RequestBody {
    public static let method = "updateSubscription"
    public static let permission: Permission = .canSubscribe
    public var stream: StreamID
    public var preferences: SubscriptionPreferences

    public init(stream: StreamID, preferences: SubscriptionPreferences) {
        self.stream = stream
        self.preferences = preferences
    }
}

public struct UnsubscribeRequest: RequestBody {
    public static let method = "unsubscribe"
    public static let permission: Permission = .canSubscribe
    public var stream: StreamID
    public init(stream: StreamID) { self.stream = stream }
}

/// Answers an `offer` event of the relay.
public struct AnswerRequest: RequestBody {
    public static let method = "answer"
    public static let permission: Permission = .canSubscribe
    /// `revision` of the offer.
    public var revision: Int
    public var sdp: String
    public var needsTenure: Bool { false }

    public init(revision: Int, sdp: String) {
        self.revision = revision
        self.sdp = sdp
    }
}

/// Requests a new offer for the subscribe peer connection with new ICE credentials, after its path was lost. To restart
/// the publish peer connection, send `publish` with new credentials.
public struct RestartICERequest: ParameterlessRequest {
    public static let method = "restartICE"
    public static let permission: Permission = .canSubscribe
    public var needsTenure: Bool { false }
    public init() {}
}
