/// Body of `POST /v1/admin/sessions`.
struct CreateSessionBody: Decodable {
    var name: String
    /// Nil: the default app.
    var app: String?
    var password: String?
    /// Whether every stream must be encrypted end to end; nil for false.
    var requiresEncryption: Bool?
}

/// Body of `POST /v1/admin/sessions/{session}/participants/{participant}/mute`.
struct MuteParticipantBody: Decodable {
    /// `audio` or `video`.
    var kind: String
}

/// Body of `PUT /v1/admin/sessions/{session}/mute-all`.
struct MuteAllBody: Decodable {
    /// The sound of all streams, those that begin later as well; false: those that begin are not muted any more.
    var muted: Bool
    /// Ids of streams that are left as they are.
    var excluding: [String]?
}

/// Body of `PUT /v1/admin/sessions/{session}/share-lock`.
struct ShareLockBody: Decodable {
    var locked: Bool
}

/// Body of `POST /v1/admin/sessions/{session}/signals`.
struct SignalBody: Decodable {
    var type: String
    var data: String?
    /// Id of a participant; nil: all.
    var to: String?
}

/// Body of `POST /v1/admin/drain`.
struct DrainBody: Decodable {
    /// Until the relay ends at the latest.
    var seconds: Int
    /// Where clients are to go.
    var url: String?
}
