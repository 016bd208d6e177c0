/// Body of `POST /v1/admin/sessions`.
struct CreateSessionBody: Decodable {
    var name: String
    /// Nil: the default app.
    var app: String?
    var password: String?
}

/// Body of `POST /v1/admin/sessions/{session}/participants/{participant}/mute`.
struct MuteParticipantBody: Decodable {
    /// `audio` or `video`.
    var kind: String
}

/// Body of `POST /v1/admin/drain`.
struct DrainBody: Decodable {
    /// Until the relay ends at the latest.
    var seconds: Int
    /// Where clients are to go.
    var url: String?
}
