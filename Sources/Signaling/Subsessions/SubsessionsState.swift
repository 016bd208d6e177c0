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
