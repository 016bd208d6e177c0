/// Body of `PUT /v1/sessions/{session}/streams/{stream}/mute`.
struct MuteBody: Decodable, Sendable {
    /// `audio` or `video`.
    var kind: String
    var muted: Bool
}
