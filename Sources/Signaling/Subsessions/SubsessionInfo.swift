/// A subsession with its users.
public struct SubsessionInfo: Hashable, Sendable, Codable, Identifiable {
    public var id: SubsessionID
    /// Name of 1 to 150 characters, by the rule of session names. Unique in its list, not case-sensitive.
    public var name: String
    /// Users in order of entry.
    public var users: [ConnectionID]

    public init(id: SubsessionID, name: String, users: [ConnectionID] = []) {
        self.id = id
        self.name = name
        self.users = users
    }
}
