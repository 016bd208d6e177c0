/// What happened to the subsessions of a session.
public enum SubsessionsChange: String, Hashable, Sendable, Codable, CaseIterable {
    case committed
    case withdrawn
    case started
    case stopping
    /// Everybody is in the main session.
    case stopped
    // The four failures are told to the one who asked.
    case commitFailed
    case withdrawFailed
    case startFailed
    case stopFailed
}
