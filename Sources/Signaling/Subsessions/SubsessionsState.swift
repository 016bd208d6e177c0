/// The subsessions of a session, as one user sees them.
public struct SubsessionsState: Hashable, Sendable, Codable {
    public var status: SubsessionStatus
    /// In the order in which they were committed.
    public var subsessions: [SubsessionInfo]
    /// The user may start and stop them, broadcast, and answer requests for help.
    public var isManager: Bool

    public init(status: SubsessionStatus = .none, subsessions: [SubsessionInfo] = [], isManager: Bool = false) {
        self.status = status
        self.subsessions = subsessions
        self.isManager = isManager
    }
}
