/// A group that one was a member of is no more.
public struct GroupDismissed: Hashable, Sendable, Codable {
    public var group: String

    public init(group: String) {
        self.group = group
    }
}
