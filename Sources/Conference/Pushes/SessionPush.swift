import Signaling

/// A push of the session: one stream, or the programme, that is pushed to one server.
struct SessionPush: Sendable {
    let id: PushID
    /// Nil: the programme.
    let stream: StreamID?
    /// Media reaches the server.
    var isLive = false
    /// All users were told that it started.
    var isAnnounced = false
}
