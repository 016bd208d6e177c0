/// Body of `POST /v1/admin/sessions`.
struct CreateSessionBody: Decodable {
    var name: String
    /// App key; nil: the default app.
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
    /// True mutes the audio of all streams, including those that begin later; false: streams that begin later are no longer muted.
    var muted: Bool
    /// Ids of streams that keep their state.
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
    /// Maximum time until the relay exits, in seconds.
    var seconds: Int
    /// URL that clients should connect to instead.
    var url: String?
}
