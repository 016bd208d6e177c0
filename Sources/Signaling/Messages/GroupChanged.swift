/// A group that one is a member of is new, or has other members or another owner.
public struct GroupChanged: Hashable, Sendable, Codable {
    public var group: Group

    public init(group: Group) {
        self.group = group
    }
}
