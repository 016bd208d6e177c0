internal import Signaling

/// Which users an event is about, besides its receivers.
enum EventSubject: Hashable, Sendable {
    case none
    case user(ConnectionID)
    /// Several, or the host.
    case users
}
