/// A group of users who talk to each other.
public struct Group: Hashable, Sendable, Codable, Identifiable {
    public var id: String
    public var name: String
    /// The user who may dismiss it.
    public var owner: String
    /// User ids, in order of joining; the owner is among them.
    public var members: [String]

    public init(id: String, name: String, owner: String, members: [String]) {
        self.id = id
        self.name = name
        self.owner = owner
        self.members = members
    }
}
