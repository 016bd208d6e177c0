/// A group that one is a member of is new, or has other members or another owner. Who wants all of its members asks `group`.
public struct GroupChanged: Hashable, Sendable, Codable {
    /// Most of `added` and of `removed`.
    public static let maximumNamed = 20

    public var id: String
    public var name: String
    /// The user who may dismiss it.
    public var owner: String
    /// How many members it has now.
    public var size: Int
    /// User ids of new members, the first 20 of them.
    public var added: [String]
    /// User ids of those who are members no more, the first 20 of them.
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
