/// Leaves a group; its conversation leaves one's list. The next member owns it in place of an owner who leaves; the last one dismisses it.
public struct LeaveGroupRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.leaveGroup

    public var group: String

    public init(group: String) {
        self.group = group
    }
}
