/// Id of a subsession (breakout room). Each committed list has new ids.
public struct SubsessionID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
}

/// State of a session's subsessions.
public enum SubsessionStatus: String, Hashable, Sendable, Codable, CaseIterable {
    /// There is no list.
    case none
    /// There is a list, but users cannot join yet.
    case committed
    /// Users can join.
    case started
    /// All users are being moved back; afterwards the list is committed again.
    case stopping
}

/// A subsession with its users.
public struct SubsessionInfo: Hashable, Sendable, Codable, Identifiable {
    public var id: SubsessionID
    /// Name of 1 to 150 characters, by the rule of session names. Unique in its list, not case-sensitive.
    public var name: String
    /// Users in order of entry.
    public var users: [ConnectionID]

    public init(id: SubsessionID, name: String, users: [ConnectionID] = []) {
        self.id = id
        self.name = name
        self.users = users
    }
}

/// Subsessions of a session from one user's view.
public struct SubsessionsState: Hashable, Sendable, Codable {
    public var status: SubsessionStatus
    /// Subsessions in the order of the committed names.
    public var subsessions: [SubsessionInfo]
    /// Whether the user may start and stop subsessions, broadcast, and answer help requests.
    public var isManager: Bool

    public init(status: SubsessionStatus = .none, subsessions: [SubsessionInfo] = [], isManager: Bool = false) {
        self.status = status
        self.subsessions = subsessions
        self.isManager = isManager
    }
}

/// A user's move between subsessions or the main session.
public struct SubsessionMove: Hashable, Sendable, Codable {
    public var user: ConnectionID
    /// Subsession before the move; nil for the main session.
    public var from: SubsessionID?
    /// Subsession after the move; nil for the main session.
    public var to: SubsessionID?
    public init(user: ConnectionID, from: SubsessionID? = nil, to: SubsessionID? = nil) {
        self.user = user
        self.from = from
        self.to = to
    }
}
