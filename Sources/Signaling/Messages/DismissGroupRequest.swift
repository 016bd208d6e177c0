/// Deletes a group with its messages for all members. Only for its owner.
public struct DismissGroupRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.dismissGroup

    public var group: String

    public init(group: String) {
        self.group = group
    }
}
