/// Creates a group of the sender and others.
public struct CreateGroupRequest: RequestBody {
    public typealias Answer = Group
    public static let method = "createGroup"
    public static let permission: Permission = .user

    /// 1 to 200 characters.
    public var name: String
    /// User ids, at most 500 including the sender, who may be omitted.
    public var members: [String]

    public init(name: String, members: [String] = []) {
        self.name = name
        self.members = members
    }
}
