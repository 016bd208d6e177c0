/// Contents of a token: session, user, role and lifetime.
public struct TokenGrant: Hashable, Sendable {
    /// Allowed lifetimes in seconds.
    public static let lifetimes: ClosedRange<Int64> = 1...(366 * 86_400)
    /// Default lifetime in seconds.
    public static let standardLifetime: Int64 = 3_600

    /// Name of the session, 1 to 150 characters; case-insensitive.
    public var session: String
    /// The application's own id of the user, at most 35 characters.
    public var identity: String?
    /// Role of the user; nil for `moderator` if `canHost` is true, otherwise `publisher`.
    public var role: TokenRole?
    /// Whether the user may become host or manager.
    public var canHost: Bool
    /// Connection data that all participants see, at most 1,000 characters.
    public var data: String?
    /// Lifetime of the token in seconds.
    public var lifetime: Int64
    /// Whether a session that begins with this token requires end-to-end encryption of every stream.
    public var requiresEncryption: Bool

    public init(
        session: String, identity: String? = nil, role: TokenRole? = nil, canHost: Bool = false, data: String? = nil,
        lifetime: Int64 = TokenGrant.standardLifetime, requiresEncryption: Bool = false
    ) {
        self.session = session
        self.identity = identity
        self.role = role
        self.canHost = canHost
        self.data = data
        self.lifetime = lifetime
        self.requiresEncryption = requiresEncryption
    }
}
