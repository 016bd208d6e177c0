/// Pushes a stream, or the session's programme, to another server by WHIP (RFC 9725), until `stopLive` or the end of the stream or session
/// (LIV-1). Only for the host.
public struct StartPushRequest: RequestBody {
    public struct Answer: Hashable, Sendable, Codable {
        public var id: PushID
        public init(id: PushID) { self.id = id }
    }

    public static let method = "startLive"
    public static let permission: Permission = .host
    /// Maximum bytes of `to`, and of `token`.
    public static let textLimit = 2_048

    /// WHIP endpoint: an `https:` URL.
    public var to: String
    /// Bearer token for the endpoint: printable ASCII without spaces; nil for none.
    public var token: String?
    /// Nil: the session's programme, which has the video of the active speaker or of a shared screen, and the mixed audio of all.
    public var stream: StreamID?

    public init(to: String, token: String? = nil, stream: StreamID? = nil) {
        self.to = to
        self.token = token
        self.stream = stream
    }

    /// Error of a URL or token that is not valid in any session; nil if both are valid.
    package var objection: SignalingError? {
        guard Self.isText(to), isSecure || to.lowercased().hasPrefix("http:") else {
            return SignalingError(.invalidField, "the URL must be an https: URL of at most 2048 bytes", field: "to")
        }
        guard token.map(Self.isText) ?? true else {
            return SignalingError(
                .invalidField, "the token must be printable ASCII of at most 2048 bytes", field: "token")
        }
        return nil
    }

    /// Whether the URL's scheme is `https`.
    package var isSecure: Bool { to.lowercased().hasPrefix("https:") }

    private static func isText(_ text: String) -> Bool {
        (1...textLimit).contains(text.utf8.count) && text.utf8.allSatisfy { (33...126).contains($0) }
    }
}

/// Ends a push. Only for the host.
public struct StopPushRequest: RequestBody {
    public static let method = "stopLive"
    public static let permission: Permission = .host
    public var id: PushID
    public init(id: PushID) { self.id = id }
}
