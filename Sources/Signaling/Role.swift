/// Role of a user in a session. There is exactly one host, unless no user may be host.
public enum Role: String, Hashable, Sendable, Codable, CaseIterable {
    case host
    case manager
    case participant
}

/// Users that the host may make host or manager.
public enum RolePromotion: String, Hashable, Sendable, Codable, CaseIterable {
    /// Every participant with a client.
    case any
    /// Users whose token has `role_type` 1.
    case capable
}

/// Effect of a moderator's request to unmute a user.
public enum UnmutePolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// The user's client is asked, and the user decides.
    case request
    /// The user is unmuted at once.
    case direct
}
