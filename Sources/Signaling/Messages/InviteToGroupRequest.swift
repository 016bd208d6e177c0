/// Adds users to a group; any member may. New members see only messages sent after that.
public struct InviteToGroupRequest: RequestBody {
    public typealias Answer = Group
    public static let method = "inviteToGroup"
    public static let permission: Permission = .user

    public var group: String
    public var members: [String]

    public init(group: String, members: [String]) {
        self.group = group
        self.members = members
    }
}
