/// Holders that may send a request; one of them suffices (USR-4, USR-5, TOK-3, MUT-4).
public struct Permission: OptionSet, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Every participant of the session.
    public static let all = Permission(rawValue: 1 << 0)
    /// The user that the request is about (`RequestBody.target`).
    public static let oneself = Permission(rawValue: 1 << 1)
    public static let host = Permission(rawValue: 1 << 2)
    public static let manager = Permission(rawValue: 1 << 3)
    /// Capabilities of the token.
    public static let canPublish = Permission(rawValue: 1 << 4)
    public static let canSubscribe = Permission(rawValue: 1 << 5)
    public static let canForceMute = Permission(rawValue: 1 << 6)
    public static let canForceDisconnect = Permission(rawValue: 1 << 7)

    // Requests with these permissions bring a secret or follow a login. Their handlers check it, and no participant
    // holds them.

    /// A valid token for the session.
    public static let token = Permission(rawValue: 1 << 8)
    public static let resumeToken = Permission(rawValue: 1 << 9)
    /// A valid token with a user identity.
    public static let identity = Permission(rawValue: 1 << 10)
    /// A user that is logged in.
    public static let user = Permission(rawValue: 1 << 11)

    /// Permissions that a participant holds, except `oneself`.
    package init(role: Role, capabilities: Capabilities) {
        self = .all
        if role == .host { insert(.host) }
        if role == .manager { insert(.manager) }
        if capabilities.canPublish { insert(.canPublish) }
        if capabilities.canSubscribe { insert(.canSubscribe) }
        if capabilities.canForceMute { insert(.canForceMute) }
        if capabilities.canForceDisconnect { insert(.canForceDisconnect) }
    }

    private static let names: [(Permission, String)] = [
        (.all, "all"), (.oneself, "oneself"), (.host, "host"), (.manager, "manager"), (.canPublish, "canPublish"),
        (.canSubscribe, "canSubscribe"), (.canForceMute, "canForceMute"), (.canForceDisconnect, "canForceDisconnect"),
        (.token, "a token"), (.resumeToken, "the resume token"), (.identity, "a token with an identity"),
        (.user, "a user"),
    ]

    /// The words of docs/protocol.md, for example `host, manager`.
    public var description: String {
        Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
