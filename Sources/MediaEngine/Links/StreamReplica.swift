import MediaBase

/// Published stream, as its origin describes it to the other parts of the session.
struct StreamReplica: Sendable {
    let name: String
    let source: StreamSource
    /// Subsession of the stream.
    let room: String
    let createdAt: Int64
    let isEncrypted: Bool
    let codec: VideoCodec?
    let muted: Set<MediaKind>
    let audio: TrackReplica?
    /// Encodings in the origin's order.
    let video: [TrackReplica]

    var tracks: [TrackReplica] { (audio.map { [$0] } ?? []) + video }
}
