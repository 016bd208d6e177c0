/// Reads the list of subsessions with their users.
public struct SubsessionsRequest: ParameterlessRequest {
    public typealias Answer = SubsessionsState
    public static let method = "subsessions"
    public static let permission: Permission = .all
    public init() {}
}

/// Creates a list of subsessions, which replaces one that has not started. Only for the host.
public struct CommitSubsessionsRequest: RequestBody {
    public static let method = "commitSubsessions"
    public static let permission: Permission = .host
    /// 1 to 50 unique names (`limit.subsessions`), 1 to 150 characters each.
    public var names: [String]
    public init(names: [String]) { self.names = names }

    public struct Answer: Hashable, Sendable, Codable {
        /// Subsessions in the order of the names.
        public var subsessions: [SubsessionInfo]
        public init(subsessions: [SubsessionInfo]) { self.subsessions = subsessions }
    }
}

/// Starts the committed subsessions, so that users can join them. Only for managers.
public struct StartSubsessionsRequest: ParameterlessRequest {
    public static let method = "startSubsessions"
    public static let permission: Permission = [.host, .manager]
    public init() {}
}

/// Moves all users back to the main session at once. Only for managers.
public struct StopSubsessionsRequest: ParameterlessRequest {
    public static let method = "stopSubsessions"
    public static let permission: Permission = [.host, .manager]
    public init() {}
}

/// Withdraws a list that has not started. Only for the host.
public struct WithdrawSubsessionsRequest: ParameterlessRequest {
    public static let method = "withdrawSubsessions"
    public static let permission: Permission = .host
    public init() {}
}

/// Moves the sender to a subsession, from the main session or another subsession. Users can only move themselves.
public struct JoinSubsessionRequest: RequestBody {
    public static let method = "joinSubsession"
    public static let permission: Permission = .all
    public var subsession: SubsessionID
    public init(subsession: SubsessionID) { self.subsession = subsession }
}

/// Moves the sender from its subsession to the main session.
public struct ReturnToMainSessionRequest: ParameterlessRequest {
    public static let method = "returnToMainSession"
    public static let permission: Permission = .all
    public init() {}
}

/// Sends a text to all users in subsessions. Only for managers in the main session.
public struct BroadcastRequest: RequestBody {
    public static let method = "broadcast"
    public static let permission: Permission = [.host, .manager]
    /// 1 byte to 8 KiB of UTF-8.
    public var text: String
    public init(text: String) { self.text = text }

    /// Validation error, or nil if the request is valid. The relay uses the same check.
    public var objection: SignalingError? { TextRule.objection(to: text) }
}
