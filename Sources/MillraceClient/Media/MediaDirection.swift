/// Peer connection of a session, which has two.
public enum MediaDirection: String, Hashable, Sendable, CaseIterable {
    /// The peer connection of the publications.
    case publish
    /// The peer connection of the subscriptions.
    case subscribe
}
