/// Body of `POST /v1/sessions/{session}/streams/{stream}/record`.
struct RecordBody: Decodable, Sendable {
    /// `start` or `stop`.
    var action: String
}
