import Signaling

/// A publisher together with its stream in the session.
struct Publication: Sendable {
    let publisher: Publisher
    /// Nil until the relay has accepted the stream.
    var stream: StreamID?
}
