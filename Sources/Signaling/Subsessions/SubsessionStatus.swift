/// How far the subsessions of a session are.
public enum SubsessionStatus: String, Hashable, Sendable, Codable, CaseIterable {
    /// There is no list.
    case none
    /// There is a list, and nobody can join yet.
    case committed
    /// Users join as they like.
    case started
    /// Everybody is being brought back; the list is committed again afterwards.
    case stopping
}
