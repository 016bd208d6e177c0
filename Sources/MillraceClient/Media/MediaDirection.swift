/// Selects one of a session's two peer connections.
public enum MediaDirection: String, Hashable, Sendable, CaseIterable {
    /// Carries the publications.
    case publish
    /// Carries the subscriptions.
    case subscribe
}
