import Signaling

/// A live stream of the session: one stream that is pushed to one server.
struct LiveOutput: Sendable {
    let id: LiveID
    let stream: StreamID
    /// Media reaches the server.
    var isLive = false
    /// All users were told that it started.
    var isAnnounced = false
}
