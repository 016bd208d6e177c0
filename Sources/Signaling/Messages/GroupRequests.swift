/// A group chat.
public struct Group: Hashable, Sendable, Codable, Identifiable {
    public var id: String
    public var name: String
    /// Id of the user who may dismiss the group.
    public var owner: String
    /// User ids, in order of joining; the owner is among them.
    public var members: [String]

    public init(id: String, name: String, owner: String, members: [String]) {
        self.id = id
        self.name = name
        self.owner = owner
        self.members = members
    }
}

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

/// Deletes a group with its messages for all members. Only for its owner.
public struct DismissGroupRequest: RequestBody {
    public static let method = "dismissGroup"
    public static let permission: Permission = .user

    public var group: String

    public init(group: String) {
        self.group = group
    }
}
