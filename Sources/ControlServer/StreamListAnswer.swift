/// Answer to `GET /v1/sessions/{session}/streams`.
struct StreamListAnswer: Encodable, Sendable {
    var session: String
    /// Oldest first.
    var streams: [StreamAnswer]
}
