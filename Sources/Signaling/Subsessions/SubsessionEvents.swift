/// Change of a session's subsessions.
public enum SubsessionsChange: String, Hashable, Sendable, Codable, CaseIterable {
    case committed
    case withdrawn
    case started
    case stopping
    /// All users are in the main session.
    case stopped
    // Failures are sent only to the sender of the request.
    case commitFailed
    case withdrawFailed
    case startFailed
    case stopFailed
}

public struct SubsessionsChanged: Hashable, Sendable, Codable {
    public var change: SubsessionsChange
    /// Complete new state.
    public var state: SubsessionsState
    public init(change: SubsessionsChange, state: SubsessionsState) {
        self.change = change
        self.state = state
    }
}

/// Moves of users within the last 100 ms. Not sent for joining a session, which starts in the main session, nor for
/// leaving it.
public struct SubsessionUsersChanged: Hashable, Sendable, Codable {
    /// At most one move for each user. `from` and `to` are equal if the user returned.
    public var changes: [SubsessionMove]
    public init(changes: [SubsessionMove]) { self.changes = changes }
}

/// The receiver became a manager of subsessions, or no longer is one.
public struct SubsessionRoleChanged: Hashable, Sendable, Codable {
    public var isManager: Bool
    public init(isManager: Bool) { self.isManager = isManager }
}

/// A manager's message to all subsessions.
public struct BroadcastReceived: Hashable, Sendable, Codable {
    public var from: ConnectionID
    public var text: String
    public init(from: ConnectionID, text: String) {
        self.from = from
        self.text = text
    }
}
