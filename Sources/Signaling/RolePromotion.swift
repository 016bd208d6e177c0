/// Users that the host may make host or manager.
public enum RolePromotion: String, Hashable, Sendable, Codable, CaseIterable {
    /// Every participant with a client.
    case any
    /// Users whose token has `role_type` 1.
    case capable
}
