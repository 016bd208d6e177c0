/// Takes users into a group, for each of its members. They see the messages from then on.
public struct InviteToGroupRequest: RequestBody {
    public typealias Answer = Group
    public static let method = Method.inviteToGroup

    public var group: String
    public var members: [String]

    public init(group: String, members: [String]) {
        self.group = group
        self.members = members
    }
}
