/// Opens conversations on a WebSocket, with or without a session. `join` with an identity also opens them; then this
/// request returns their current state.
public struct LoginRequest: RequestBody {
    public static let method = "login"
    public static let permission: Permission = .identity

    /// `SignalingProtocol.version` of the client.
    public var version: Int
    /// Session token with a `user_identity`, for any session. Needed if neither the WebSocket's request nor a `join`
    /// had one.
    public var token: String?
    /// Display name that other users see, at most 200 characters; nil keeps the current one.
    public var name: String?

    public init(version: Int = SignalingProtocol.version, token: String? = nil, name: String? = nil) {
        self.version = version
        self.token = token
        self.name = name
    }

    public struct Answer: Hashable, Sendable, Codable {
        /// Id of this user.
        public var user: String
        /// Id of the relay's store for this user. If it differs from the id that the client knows, the client must
        /// discard its local copy.
        public var store: String
        /// Number of the user's newest change. If it is less than the client's, the client must discard its local copy.
        public var cursor: Int64

        public init(user: String, store: String, cursor: Int64) {
            self.user = user
            self.store = store
            self.cursor = cursor
        }
    }
}
