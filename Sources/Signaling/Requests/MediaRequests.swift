/// Publishes a stream, or offers the publish peer connection anew. All streams of a connection share one peer connection: each offer
/// describes it whole.
public struct PublishRequest: RequestBody {
    public static let method = Method.publish

    /// One stream in the offer.
    public struct Stream: Hashable, Sendable, Codable {
        /// Nil for a stream that begins with this offer; the answer says its id.
        public var id: StreamID?
        public var name: String
        public var videoType: VideoType
        /// Media sections of the offer that carry it; at least one of them.
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
    /// Every stream that the offer carries; one of an earlier offer that is not among them is unpublished.
    public var streams: [Stream]

    public init(sdp: String, streams: [Stream]) {
        self.sdp = sdp
        self.streams = streams
    }

    public struct Answer: Hashable, Sendable, Codable {
        public var sdp: String
        /// In the order of the request.
        public var streams: [StreamID]
        public init(sdp: String, streams: [StreamID]) {
            self.sdp = sdp
            self.streams = streams
        }
    }
}

/// Ends a stream of one's own. Its media sections may stay in the peer connection; nothing of them is forwarded.
public struct UnpublishRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.unpublish
    public var stream: StreamID
    public init(stream: StreamID) { self.stream = stream }
}

/// Tells everybody what has changed in a stream of one's own. Nil: as it was.
public struct UpdateStreamRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.updateStream
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

/// Mutes or unmutes a kind of one's own stream. The relay drops muted packets itself.
public struct SetMutedRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.setMuted
    public var stream: StreamID
    public var kind: TrackKind
    public var isMuted: Bool

    public init(stream: StreamID, kind: TrackKind, isMuted: Bool) {
        self.stream = stream
        self.kind = kind
        self.isMuted = isMuted
    }
}

/// What a subscriber would like of a stream. Layers that come closest are chosen, within what the path carries.
public struct SubscriptionPreferences: Hashable, Sendable, Codable {
    public var audio: Bool
    public var video: Bool
    /// Pixels that are shown: of the encodings the smallest that has as many is sent. Nil: the largest there is.
    public var width: Int?
    public var height: Int?
    /// Pictures a second; nil: all.
    public var frameRate: Int?
    /// Of video, where the path does not carry all: larger goes first; 0 to 100.
    public var priority: Int
    /// Pixels; an encoding with more is not sent while there is one without. Nil: no bound.
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

/// Asks for a stream. An `offer` event with its media sections follows; streams asked for at nearly the same time share one.
public struct SubscribeRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.subscribe
    public var stream: StreamID
    public var preferences: SubscriptionPreferences
    /// Of the subscribe peer connection, which the first subscription begins. Nil: as it is, WebRTC at first.
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

/// Changes what is wanted of a stream; nothing is renegotiated.
public struct UpdateSubscriptionRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.updateSubscription
    public var stream: StreamID
    public var preferences: SubscriptionPreferences

    public init(stream: StreamID, preferences: SubscriptionPreferences) {
        self.stream = stream
        self.preferences = preferences
    }
}

public struct UnsubscribeRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.unsubscribe
    public var stream: StreamID
    public init(stream: StreamID) { self.stream = stream }
}

/// Answers an `offer` event of the relay.
public struct AnswerRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.answer
    /// `revision` of the offer.
    public var revision: Int
    public var sdp: String

    public init(revision: Int, sdp: String) {
        self.revision = revision
        self.sdp = sdp
    }
}

/// Asks for a new offer of the subscribe peer connection with new ICE credentials, after its path was lost. The publish peer connection
/// is restarted by a `publish` with new ones.
public struct RestartICERequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.restartICE
    public init() {}
}
