/// Whether one is a manager of subsessions (SUB-2).
public struct SubsessionRoleChanged: Hashable, Sendable, Codable {
    public var isManager: Bool
    public init(isManager: Bool) { self.isManager = isManager }
}
