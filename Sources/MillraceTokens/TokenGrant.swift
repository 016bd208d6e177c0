/// Claims of a token: the session that it opens, whom, as what and for how long.
public struct TokenGrant: Hashable, Sendable {
    /// Seconds.
    public static let lifetimes: ClosedRange<Int64> = 1...(366 * 86_400)
    public static let standardLifetime: Int64 = 3_600

    /// Name of the session, 1 to 150 characters; upper and lower case do not differ.
    public var session: String
    /// The application's own id of the user, at most 35 characters.
    public var identity: String?
    /// Nil: `moderator` if `canHost`, else `publisher`.
    public var role: TokenRole?
    /// May become host or manager.
    public var canHost: Bool
    /// Connection data that every participant sees, at most 1,000 characters.
    public var data: String?
    /// Seconds.
    public var lifetime: Int64

    public init(
        session: String, identity: String? = nil, role: TokenRole? = nil, canHost: Bool = false, data: String? = nil,
        lifetime: Int64 = TokenGrant.standardLifetime
    ) {
        self.session = session
        self.identity = identity
        self.role = role
        self.canHost = canHost
        self.data = data
        self.lifetime = lifetime
    }
}
