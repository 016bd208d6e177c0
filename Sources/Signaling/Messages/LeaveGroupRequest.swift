/// Leaves a group and removes its conversation from the user's list. If the owner leaves, the next member becomes
/// owner; if the last member leaves, the group is dismissed.
public struct LeaveGroupRequest: RequestBody {
    public static let method = "leaveGroup"
    public static let permission: Permission = .user

    public var group: String

    public init(group: String) {
        self.group = group
    }
}
