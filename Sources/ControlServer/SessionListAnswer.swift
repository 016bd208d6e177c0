/// Answer to `GET /v1/sessions`.
struct SessionListAnswer: Encodable, Sendable {
    /// By name.
    var sessions: [SessionAnswer]
}
