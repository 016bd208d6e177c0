/// The receiver became a manager of subsessions, or no longer is one.
public struct SubsessionRoleChanged: Hashable, Sendable, Codable {
    public var isManager: Bool
    public init(isManager: Bool) { self.isManager = isManager }
}
