/// Events that a WHEP resource offers by server-sent events (draft-ietf-wish-whep, "Server Sent Events extension").
enum ResourceEvent: String, CaseIterable, Sendable {
    /// The stream is published. Data: an empty object.
    case active
    /// The stream is not published. Data: an empty object.
    case inactive
    /// Encodings of the stream's video, by the index of the media section in the resource's SDP.
    case layers
    /// Number of the stream's subscribers: `{"viewercount":3}`.
    case viewercount
}
