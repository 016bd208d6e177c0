/// Gives a user another display name: oneself, or anybody for host and managers.
public struct RenameRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.rename
    public var user: ConnectionID
    public var name: String
    public init(user: ConnectionID, name: String) {
        self.user = user
        self.name = name
    }
}

/// Mutes a user's media of one kind at the relay, in all its streams.
public struct MuteUserRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.muteUser
    public var user: ConnectionID
    public var kind: TrackKind
    public init(user: ConnectionID, kind: TrackKind = .audio) {
        self.user = user
        self.kind = kind
    }
}

/// Asks a user to unmute itself: its client gets `unmuteRequested` and decides. A relay with the policy `direct` unmutes it at once.
public struct RequestUnmuteRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.requestUnmute
    public var user: ConnectionID
    public var kind: TrackKind
    public init(user: ConnectionID, kind: TrackKind = .audio) {
        self.user = user
        self.kind = kind
    }
}

public struct ForceMuteStreamRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.forceMuteStream
    public var stream: StreamID
    public init(stream: StreamID) { self.stream = stream }
}

/// Mutes the sound of every stream but those; streams published later start muted.
public struct ForceMuteAllRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.forceMuteAll
    public var excluding: [StreamID]
    public init(excluding: [StreamID] = []) { self.excluding = excluding }
}

/// Streams published later start unmuted again. Those that are muted stay so until their publishers unmute them.
public struct DisableForceMuteRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.disableForceMute
    public init() {}
}

/// Hands the host's role to another user.
public struct MakeHostRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.makeHost
    public var user: ConnectionID
    public init(user: ConnectionID) { self.user = user }
}

public struct SetManagerRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.setManager
    public var user: ConnectionID
    /// False: a participant again.
    public var isManager: Bool
    public init(user: ConnectionID, isManager: Bool) {
        self.user = user
        self.isManager = isManager
    }
}

/// Disconnects a user, which cannot come back with the same token while the session lives.
public struct RemoveUserRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.removeUser
    public var user: ConnectionID
    public init(user: ConnectionID) { self.user = user }
}

/// While it is locked only host and managers publish a screen.
public struct LockShareRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.lockShare
    public var isLocked: Bool
    public init(isLocked: Bool) { self.isLocked = isLocked }
}
