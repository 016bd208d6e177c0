/// A group chat.
public struct Group: Hashable, Sendable, Codable, Identifiable {
    public var id: String
    public var name: String
    /// Id of the user who may dismiss the group.
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
