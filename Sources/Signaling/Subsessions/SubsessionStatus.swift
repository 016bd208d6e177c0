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
