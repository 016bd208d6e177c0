/// Whether one is a manager of subsessions.
public struct SubsessionRoleChanged: Hashable, Sendable, Codable {
    public var isManager: Bool
    public init(isManager: Bool) { self.isManager = isManager }
}
