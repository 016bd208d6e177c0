/// A group that the user is a member of is new, or its members or owner changed. Use `group` to read all members.
public struct GroupChanged: Hashable, Sendable, Codable {
    /// Maximum number of ids in `added` and in `removed`.
    public static let maximumNamed = 20

    public var id: String
    public var name: String
    /// Id of the user who may dismiss the group.
    public var owner: String
    /// Number of members after the change.
    public var size: Int
    /// Ids of the first 20 new members.
    public var added: [String]
    /// Ids of the first 20 former members.
    public var removed: [String]

    public init(id: String, name: String, owner: String, size: Int, added: [String] = [], removed: [String] = []) {
        self.id = id
        self.name = name
        self.owner = owner
        self.size = size
        self.added = added
        self.removed = removed
    }
}
