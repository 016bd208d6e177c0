import Signaling

/// The users that an event is about, apart from its receivers.
enum EventSubject: Hashable, Sendable {
    case none
    case user(ConnectionID)
    /// Several, or the host.
    case users
}
