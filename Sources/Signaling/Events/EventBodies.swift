public struct UserJoined: Hashable, Sendable, Codable {
    public var user: UserInfo
    public init(user: UserInfo) { self.user = user }
}

/// Name, role or media status; the whole new state.
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
    /// False: back again.
    public var isDropped: Bool
    public init(user: ConnectionID, isDropped: Bool) {
        self.user = user
        self.isDropped = isDropped
    }
}

public struct HostChanged: Hashable, Sendable, Codable {
    /// Nil while nobody is there who may be it.
    public var host: ConnectionID?
    public init(host: ConnectionID?) { self.host = host }
}

public struct StreamCreated: Hashable, Sendable, Codable {
    public var stream: StreamInfo
    public init(stream: StreamInfo) { self.stream = stream }
}

/// The whole new state.
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

/// A stream of the session is recorded from now on.
public struct RecordingStarted: Hashable, Sendable, Codable {
    public var stream: StreamID
    public init(stream: StreamID) { self.stream = stream }
}

/// A stream is not recorded any more. Comes before `streamDestroyed` if the recording ends with its stream.
public struct RecordingStopped: Hashable, Sendable, Codable {
    public var stream: StreamID
    public init(stream: StreamID) { self.stream = stream }
}

public struct OfferMade: Hashable, Sendable, Codable {
    /// Which media sections carry which stream.
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

    /// One more than that of the offer before; the answer names it.
    public var revision: Int
    public var sdp: String
    public var streams: [Stream]

    public init(revision: Int, sdp: String, streams: [Stream]) {
        self.revision = revision
        self.sdp = sdp
        self.streams = streams
    }
}

/// A subscription's media began, stopped, or goes on.
public struct SubscriptionChanged: Hashable, Sendable, Codable {
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Media can flow from now on.
        case connected
        case videoDisabled
        case videoEnabled
        /// The publisher is lost and may come back.
        case dropped
        case reconnected
        /// Publisher and subscriber are in different subsessions: no media until they meet.
        case suspended
        /// They are in the same room again.
        case resumed
        /// The relay could not go on with it; it is over.
        case failed
    }

    public var stream: StreamID
    public var state: State
    /// Of `videoDisabled` and `videoEnabled`.
    public var reason: VideoChangeReason?

    public init(stream: StreamID, state: State, reason: VideoChangeReason? = nil) {
        self.stream = stream
        self.state = state
        self.reason = reason
    }
}

public struct SignalReceived: Hashable, Sendable, Codable {
    /// Nil: the application's server.
    public var from: ConnectionID?
    public var type: String
    public var data: String
    public init(from: ConnectionID?, type: String, data: String) {
        self.from = from
        self.type = type
        self.data = data
    }
}

/// Force mute. With a stream: that stream of one's own was muted. Without: the state of the session changed.
public struct MuteForced: Hashable, Sendable, Codable {
    public var isActive: Bool
    public var stream: StreamID?
    /// What of that stream.
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
    /// The relay has unmuted the user already; nil: it waits for the user.
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
    /// Nil: nobody speaks.
    public var stream: StreamID?
    public init(stream: StreamID?) { self.stream = stream }
}

public struct Draining: Hashable, Sendable, Codable {
    /// Seconds until the relay ends.
    public var seconds: Int
    /// Where to go instead; nil: the same address, once the relay is back.
    public var url: String?
    public init(seconds: Int, url: String? = nil) {
        self.seconds = seconds
        self.url = url
    }
}

public struct Disconnected: Hashable, Sendable, Codable {
    public var reason: DisconnectReason
    /// More, for people.
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
