/// A user as all users of its session see it.
public struct UserInfo: Hashable, Sendable, Codable, Identifiable {
    /// Origin of the user's media.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// A client of the control protocol.
        case client
        /// A publisher without signalling (WHIP or plain SRTP).
        case publisher
    }

    public var id: ConnectionID
    /// Display name, at most 200 characters; `null` if none was given.
    public var name: String
    /// The application's own id of the user (`user_identity` of the token), at most 35 characters.
    public var identity: String?
    /// Connection data of the token, at most 1,000 characters.
    public var data: String?
    public var kind: Kind
    public var role: Role
    public var audio: MediaStatus
    public var video: MediaStatus
    public var share: MediaStatus
    /// Whether the client is connected; false during its grace time.
    public var isConnected: Bool
    /// Milliseconds since 1970.
    public var joinedAt: Int64
    /// Public key of the client for the agreement on keys of end-to-end encryption; nil if it takes no part.
    public var e2eeKey: String?

    public init(
        id: ConnectionID, name: String, identity: String? = nil, data: String? = nil, kind: Kind = .client,
        role: Role = .participant, audio: MediaStatus = .off, video: MediaStatus = .off, share: MediaStatus = .off,
        isConnected: Bool = true, joinedAt: Int64, e2eeKey: String? = nil
    ) {
        self.id = id
        self.name = name
        self.identity = identity
        self.data = data
        self.kind = kind
        self.role = role
        self.audio = audio
        self.video = video
        self.share = share
        self.isConnected = isConnected
        self.joinedAt = joinedAt
        self.e2eeKey = e2eeKey
    }
}
