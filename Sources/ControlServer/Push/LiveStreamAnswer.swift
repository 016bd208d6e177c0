package import Signaling

/// A live stream in answers of the admin API.
package struct LiveStreamAnswer: Sendable, Hashable, Encodable {
    package var id: LiveID
    package var stream: StreamID
    /// Whether media reaches the other server.
    package var isLive: Bool

    package init(id: LiveID, stream: StreamID, isLive: Bool) {
        self.id = id
        self.stream = stream
        self.isLive = isLive
    }
}

/// Answer to `GET /v1/admin/sessions/{session}/live`.
struct LiveListAnswer: Encodable {
    var live: [LiveStreamAnswer]
}

/// Body of `POST /v1/admin/sessions/{session}/live`.
struct StartLiveBody: Decodable {
    var to: String
    var token: String?
    var stream: String
    /// Allows an `http:` URL for this live stream; nil for false.
    var allowHTTP: Bool?
}
