import Cluster

/// Relay whose engine has media of a session.
enum MediaRelay: Hashable, Sendable {
    /// The relay that runs the session's rules.
    case home
    /// The relay that a client of the session is connected to.
    case edge(RelayIdentity)
}
