/// Answer to `GET /v1/sessions/{session}/streams`.
struct StreamListAnswer: Encodable, Sendable {
    var session: String
    /// Streams, oldest first.
    var streams: [StreamAnswer]
}
