/// What a token is to say.
package struct TokenGrant: Hashable, Sendable {
    package static let lifetimes: ClosedRange<Int64> = 1...(366 * 86_400)
    package static let standardLifetime: Int64 = 3_600

    package var session: String
    /// The application's own id of the user, at most 35 characters.
    package var identity: String?
    /// Nil: as `canHost` says.
    package var role: TokenRole?
    /// May become host or manager.
    package var canHost: Bool
    /// Connection data, at most 1,000 characters.
    package var data: String?
    /// Seconds.
    package var lifetime: Int64

    package init(
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
