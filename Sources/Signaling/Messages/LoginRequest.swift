/// Opens conversations on a WebSocket, with or without a session. `join` with an identity opens them as well; then this tells where they stand.
public struct LoginRequest: RequestBody {
    public static let method = Method.login

    /// `SignalingProtocol.version` of the client.
    public var version: Int
    /// A session token with a `user_identity`, for whatever session, where none came with the WebSocket's request or a `join`.
    public var token: String?
    /// Display name that others see on their conversation with this user, at most 200 characters; nil leaves it as it is.
    public var name: String?

    public init(version: Int = SignalingProtocol.version, token: String? = nil, name: String? = nil) {
        self.version = version
        self.token = token
        self.name = name
    }

    public struct Answer: Hashable, Sendable, Codable {
        /// One's own user id.
        public var user: String
        /// Of the relay's store, for this user. Where it is another than the client knows, what the client keeps is of no use any more.
        public var store: String
        /// Where the user's conversations stand: the newest change. Less than what the client has: as if the store was another.
        public var cursor: Int64

        public init(user: String, store: String, cursor: Int64) {
            self.user = user
            self.store = store
            self.cursor = cursor
        }
    }
}
