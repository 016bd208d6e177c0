/// Reads a group that the user is a member of.
public struct GroupRequest: RequestBody {
    public typealias Answer = Group
    public static let method = "group"
    public static let permission: Permission = .user

    public var group: String

    public init(group: String) {
        self.group = group
    }
}
