/// Answer to `GET /v1/sessions`.
struct SessionListAnswer: Codable, Sendable {
    /// By name.
    var sessions: [SessionAnswer]
}
