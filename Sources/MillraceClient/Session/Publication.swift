import Signaling

/// A publisher of a session, as the session keeps it.
struct Publication: Sendable {
    let publisher: Publisher
    /// Nil until the relay has agreed to it.
    var stream: StreamID?
}
