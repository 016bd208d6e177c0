/// A stream or the programme reaches the other server: for the first time, or again after a failure. Also sent to a user that joins
/// while it reaches the server.
public struct PushStarted: Hashable, Sendable, Codable {
    public var id: PushID
    /// Nil: the session's programme.
    public var stream: StreamID?
    public init(id: PushID, stream: StreamID?) {
        self.id = id
        self.stream = stream
    }
}

/// A try to reach the other server failed, or its connection was lost. Only for the host.
public struct PushFailed: Hashable, Sendable, Codable {
    public var id: PushID
    /// Nil: the session's programme.
    public var stream: StreamID?
    public var reason: PushFailureReason
    /// Description for people.
    public var detail: String
    /// Seconds until the next try; nil if there is none, and `liveStopped` follows.
    public var retryIn: Int?

    public init(id: PushID, stream: StreamID?, reason: PushFailureReason, detail: String, retryIn: Int? = nil) {
        self.id = id
        self.stream = stream
        self.reason = reason
        self.detail = detail
        self.retryIn = retryIn
    }
}

/// A push has ended. Sent to all users if they were told that it started, else to the host.
public struct PushStopped: Hashable, Sendable, Codable {
    public var id: PushID
    /// Nil: the session's programme.
    public var stream: StreamID?
    public var reason: PushEndReason
    public init(id: PushID, stream: StreamID?, reason: PushEndReason) {
        self.id = id
        self.stream = stream
        self.reason = reason
    }
}

public enum PushFailureReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The URL is not valid, or its scheme is not allowed.
    case unusableURL
    /// The address is inside the relay operator's network.
    case addressRefused
    /// The server did not answer.
    case unreachable
    /// The server refused the offer.
    case refused
    /// The server's answer is not valid.
    case unusableAnswer
    /// The server does not take the stream's video codec.
    case codecRefused
    /// The media path could not be established, or was lost.
    case connectionLost
    /// The relay had an error.
    case internalError
}

public enum PushEndReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The host or the operator has stopped it.
    case stopped
    case streamEnded
    case sessionEnded
    /// A failure that another try cannot resolve has ended it.
    case failed
}
