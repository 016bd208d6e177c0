import Signaling

/// Participants that an event is about, except its receivers.
enum EventSubject: Hashable, Sendable {
    case none
    case user(ConnectionID)
    /// Several participants, or the host.
    case users
}
