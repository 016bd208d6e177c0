/// Owners whose limits apply to a client: its token, its user and its address, as far as known.
package struct ResourceHolder: Hashable, Sendable, Codable {
    /// The operator's own clients, which have no limits.
    package static let unlimited = ResourceHolder(owners: [])

    /// Owners from the narrowest to the widest: errors name the first one whose limit is exceeded.
    package let owners: [ResourceOwner]

    private init(owners: [ResourceOwner]) { self.owners = owners }

    /// - Parameters:
    ///   - token: name of the session token; nil without one.
    ///   - app: key of the app that signed the token.
    ///   - user: the app's id of the user; nil if the token names none.
    ///   - address: group of addresses of the client; empty without one.
    package init(token: String? = nil, app: String = "", user: String? = nil, address: String) {
        var owners: [ResourceOwner] = []
        if let token { owners.append(ResourceOwner(kind: .token, name: token)) }
        // App keys contain no spaces.
        if let user { owners.append(ResourceOwner(kind: .user, name: "\(app) \(user)")) }
        if !address.isEmpty { owners.append(ResourceOwner(kind: .address, name: address)) }
        self.owners = owners
    }
}
