package import Signaling

/// A push in answers of the admin API.
package struct SessionPushAnswer: Sendable, Hashable, Encodable {
    package var id: PushID
    /// Nil: the programme.
    package var stream: StreamID?
    /// Whether media reaches the other server.
    package var isLive: Bool

    package init(id: PushID, stream: StreamID?, isLive: Bool) {
        self.id = id
        self.stream = stream
        self.isLive = isLive
    }
}

/// Answer to `GET /v1/admin/sessions/{session}/live`.
struct PushListAnswer: Encodable {
    var live: [SessionPushAnswer]
}

/// Body of `POST /v1/admin/sessions/{session}/live`.
struct StartPushBody: Decodable {
    var to: String
    var token: String?
    /// Nil: the programme.
    var stream: String?
    /// Allows an `http:` URL for this push; nil for false.
    var allowHTTP: Bool?
}
