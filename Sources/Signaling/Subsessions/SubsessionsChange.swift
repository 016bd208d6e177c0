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
