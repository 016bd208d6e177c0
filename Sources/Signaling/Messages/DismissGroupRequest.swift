/// Deletes a group with its messages for all members. Only for its owner.
public struct DismissGroupRequest: RequestBody {
    public static let method = "dismissGroup"
    public static let permission: Permission = .user

    public var group: String

    public init(group: String) {
        self.group = group
    }
}
