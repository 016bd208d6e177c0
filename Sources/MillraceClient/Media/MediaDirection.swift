/// One of the two peer connections of a session.
public enum MediaDirection: String, Hashable, Sendable, CaseIterable {
    /// Carries the publications.
    case publish
    /// Carries the subscriptions.
    case subscribe
}
