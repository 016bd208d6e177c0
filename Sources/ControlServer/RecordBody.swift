/// Body of `POST /v1/sessions/{session}/record` and `…/streams/{stream}/record`.
struct RecordBody: Decodable, Sendable {
    /// `start` or `stop`.
    var action: String
}
