public struct UserJoined: Hashable, Sendable, Codable {
    public var user: UserInfo
    public init(user: UserInfo) { self.user = user }
}

/// Complete new state of a user after a change of name, role or media status.
public struct UserChanged: Hashable, Sendable, Codable {
    public var user: UserInfo
    public init(user: UserInfo) { self.user = user }
}

public struct UserLeft: Hashable, Sendable, Codable {
    public var user: ConnectionID
    public var reason: DisconnectReason
    public init(user: ConnectionID, reason: DisconnectReason) {
        self.user = user
        self.reason = reason
    }
}

public struct UserDropped: Hashable, Sendable, Codable {
    public var user: ConnectionID
    /// Whether the user is lost; false when it has returned.
    public var isDropped: Bool
    public init(user: ConnectionID, isDropped: Bool) {
        self.user = user
        self.isDropped = isDropped
    }
}

public struct HostChanged: Hashable, Sendable, Codable {
    /// New host; nil if no user may be host.
    public var host: ConnectionID?
    public init(host: ConnectionID?) { self.host = host }
}

public struct StreamCreated: Hashable, Sendable, Codable {
    public var stream: StreamInfo
    public init(stream: StreamInfo) { self.stream = stream }
}

/// Complete new state of a stream.
public struct StreamChanged: Hashable, Sendable, Codable {
    public var stream: StreamInfo
    public init(stream: StreamInfo) { self.stream = stream }
}

public struct StreamDestroyed: Hashable, Sendable, Codable {
    public var stream: StreamID
    public var reason: StreamEndReason
    public init(stream: StreamID, reason: StreamEndReason) {
        self.stream = stream
        self.reason = reason
    }
}

/// Recording of a stream has started.
public struct RecordingStarted: Hashable, Sendable, Codable {
    public var stream: StreamID
    public init(stream: StreamID) { self.stream = stream }
}

/// Recording of a stream has ended. Sent before `streamDestroyed` if the stream ends.
public struct RecordingStopped: Hashable, Sendable, Codable {
    public var stream: StreamID
    public init(stream: StreamID) { self.stream = stream }
}

public struct OfferMade: Hashable, Sendable, Codable {
    /// Media sections of one stream.
    public struct Stream: Hashable, Sendable, Codable {
        public var id: StreamID
        public var audioMid: String?
        public var videoMid: String?
        public init(id: StreamID, audioMid: String? = nil, videoMid: String? = nil) {
            self.id = id
            self.audioMid = audioMid
            self.videoMid = videoMid
        }
    }

    /// Number of the offer, one more than that of the previous offer. The answer repeats it.
    public var revision: Int
    public var sdp: String
    public var streams: [Stream]

    public init(revision: Int, sdp: String, streams: [Stream]) {
        self.revision = revision
        self.sdp = sdp
        self.streams = streams
    }
}

/// Change of a subscription's media: it has started, stopped or continued.
public struct SubscriptionChanged: Hashable, Sendable, Codable {
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Media can flow.
        case connected
        case videoDisabled
        case videoEnabled
        /// The publisher is lost and may return.
        case dropped
        case reconnected
        /// Publisher and subscriber are in different subsessions, so no media is sent.
        case suspended
        /// Publisher and subscriber are in the same subsession or main session again.
        case resumed
        /// The subscription could not be continued and has ended.
        case failed
    }

    public var stream: StreamID
    public var state: State
    /// Reason for `videoDisabled` and `videoEnabled`.
    public var reason: VideoChangeReason?

    public init(stream: StreamID, state: State, reason: VideoChangeReason? = nil) {
        self.stream = stream
        self.state = state
        self.reason = reason
    }
}

public struct SignalReceived: Hashable, Sendable, Codable {
    /// Sender; nil for the application's server.
    public var from: ConnectionID?
    public var type: String
    public var data: String
    public init(from: ConnectionID?, type: String, data: String) {
        self.from = from
        self.type = type
        self.data = data
    }
}

/// A forced mute. With `stream`: that stream of the receiver was muted. Without: the forced mute of the session
/// changed.
public struct MuteForced: Hashable, Sendable, Codable {
    public var isActive: Bool
    public var stream: StreamID?
    /// Track kind that was muted.
    public var kind: TrackKind?
    public init(isActive: Bool, stream: StreamID? = nil, kind: TrackKind? = nil) {
        self.isActive = isActive
        self.stream = stream
        self.kind = kind
    }
}

public struct UnmuteRequested: Hashable, Sendable, Codable {
    public var from: ConnectionID
    public var kind: TrackKind
    /// True if the relay has already unmuted the user; nil if the user decides.
    public var isUnmuted: Bool?
    public init(from: ConnectionID, kind: TrackKind, isUnmuted: Bool? = nil) {
        self.from = from
        self.kind = kind
        self.isUnmuted = isUnmuted
    }
}

public struct ShareLockChanged: Hashable, Sendable, Codable {
    public var isLocked: Bool
    public init(isLocked: Bool) { self.isLocked = isLocked }
}

public struct ActiveSpeaker: Hashable, Sendable, Codable {
    /// Stream of the active speaker; nil if there is none.
    public var stream: StreamID?
    public init(stream: StreamID?) { self.stream = stream }
}

public struct Draining: Hashable, Sendable, Codable {
    /// Seconds until the relay shuts down.
    public var seconds: Int
    /// URL of another relay; nil for the same address, once the relay is back.
    public var url: String?
    public init(seconds: Int, url: String? = nil) {
        self.seconds = seconds
        self.url = url
    }
}

public struct Disconnected: Hashable, Sendable, Codable {
    public var reason: DisconnectReason
    /// Details, for people.
    public var message: String?
    public init(reason: DisconnectReason, message: String? = nil) {
        self.reason = reason
        self.message = message
    }
}

public struct MediaReset: Hashable, Sendable, Codable {
    public var publish: Bool
    public var subscribe: Bool
    public init(publish: Bool, subscribe: Bool) {
        self.publish = publish
        self.subscribe = subscribe
    }
}
