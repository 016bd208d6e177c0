/// Makes a group of oneself and others.
public struct CreateGroupRequest: RequestBody {
    public typealias Answer = Group
    public static let method = Method.createGroup

    /// 1 to 200 characters.
    public var name: String
    /// User ids; oneself need not be among them. At most 500 in all.
    public var members: [String]

    public init(name: String, members: [String] = []) {
        self.name = name
        self.members = members
    }
}
