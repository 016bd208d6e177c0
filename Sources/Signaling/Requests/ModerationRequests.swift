/// Changes a user's display name. A user may rename itself; host and managers may rename all users.
public struct RenameRequest: RequestBody {
    public static let method = "rename"
    public static let permission: Permission = [.oneself, .host, .manager]
    public var user: ConnectionID
    public var name: String
    public var target: ConnectionID? { user }

    public init(user: ConnectionID, name: String) {
        self.user = user
        self.name = name
    }
}

/// Mutes one kind of media in all streams of a user, at the relay.
public struct MuteUserRequest: RequestBody {
    public static let method = "muteUser"
    public static let permission: Permission = [.oneself, .host, .manager, .canForceMute]
    public var user: ConnectionID
    public var kind: TrackKind
    public var target: ConnectionID? { user }

    public init(user: ConnectionID, kind: TrackKind = .audio) {
        self.user = user
        self.kind = kind
    }
}

/// Asks a user to unmute itself: its client gets `unmuteRequested` and decides. A relay with the policy `direct`
/// unmutes the user at once.
public struct RequestUnmuteRequest: RequestBody {
    public static let method = "requestUnmute"
    public static let permission: Permission = [.host, .manager, .canForceMute]
    public var user: ConnectionID
    public var kind: TrackKind
    public init(user: ConnectionID, kind: TrackKind = .audio) {
        self.user = user
        self.kind = kind
    }
}

public struct ForceMuteStreamRequest: RequestBody {
    public static let method = "forceMuteStream"
    public static let permission: Permission = .canForceMute
    public var stream: StreamID
    public init(stream: StreamID) { self.stream = stream }
}

/// Mutes the audio of all streams except `excluding`; streams published later start muted.
public struct ForceMuteAllRequest: RequestBody {
    public static let method = "forceMuteAll"
    public static let permission: Permission = .canForceMute
    public var excluding: [StreamID]
    public init(excluding: [StreamID] = []) { self.excluding = excluding }
}

/// Lets streams published later start unmuted again. Muted streams stay muted until their publishers unmute them.
public struct DisableForceMuteRequest: ParameterlessRequest {
    public static let method = "disableForceMute"
    public static let permission: Permission = .canForceMute
    public init() {}
}

/// Transfers the host's role to another user.
public struct MakeHostRequest: RequestBody {
    public static let method = "makeHost"
    public static let permission: Permission = .host
    public var user: ConnectionID
    public init(user: ConnectionID) { self.user = user }
}

public struct SetManagerRequest: RequestBody {
    public static let method = "setManager"
    public static let permission: Permission = .host
    public var user: ConnectionID
    /// Whether the user becomes manager; false makes it a participant again.
    public var isManager: Bool
    public init(user: ConnectionID, isManager: Bool) {
        self.user = user
        self.isManager = isManager
    }
}

/// Disconnects a user. It cannot return with the same token during this session.
public struct RemoveUserRequest: RequestBody {
    public static let method = "removeUser"
    public static let permission: Permission = [.host, .manager, .canForceDisconnect]
    public var user: ConnectionID
    public init(user: ConnectionID) { self.user = user }
}

/// Locks or unlocks screen sharing. While it is locked, only the host and managers may share a screen.
public struct LockShareRequest: RequestBody {
    public static let method = "lockShare"
    public static let permission: Permission = [.host, .manager]
    public var isLocked: Bool
    public init(isLocked: Bool) { self.isLocked = isLocked }
}
