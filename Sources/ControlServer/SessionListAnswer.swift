/// Answer to `GET /v1/sessions`.
struct SessionListAnswer: Encodable, Sendable {
    /// Sessions in order of app and name.
    var sessions: [SessionAnswer]
}
