/// A group that the user was a member of was dismissed.
public struct GroupDismissed: Hashable, Sendable, Codable {
    public var group: String

    public init(group: String) {
        self.group = group
    }
}
