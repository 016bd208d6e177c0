import MediaBase

/// Published stream, as its origin describes it to the other parts of the session. A stream that has not changed keeps its description, so that
/// the other parts find the changed ones without a comparison of contents.
final class StreamReplica: Sendable {
    let name: String
    let source: StreamSource
    /// Subsession of the stream.
    let subsession: String
    let createdAt: Int64
    let isEncrypted: Bool
    let codec: VideoCodec?
    /// Kinds whose packets are dropped.
    let muted: Set<MediaKind>
    let audio: TrackReplica?
    /// Encodings in the origin's order.
    let video: [TrackReplica]

    init(_ stream: EngineStream, audio: TrackReplica?, video: [TrackReplica]) {
        name = stream.name
        source = stream.source
        subsession = stream.subsession.name
        createdAt = stream.createdAt
        isEncrypted = stream.isEncrypted
        codec = stream.codec
        muted = stream.silenced
        self.audio = audio
        self.video = video
    }

    var tracks: [TrackReplica] { (audio.map { [$0] } ?? []) + video }
}
