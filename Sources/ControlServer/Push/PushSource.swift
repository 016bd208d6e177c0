import MediaBase
import MediaEngine

/// Packets that a push sends, and the request for a key frame. The packets are one run: at most one track of each kind.
struct PushSource: Sendable {
    let tap: PacketTap
    /// Tracks that the source has now. Others may follow.
    let kinds: Set<MediaKind>
    /// Codec of the video; nil without video.
    let codec: VideoCodec?
    let requestKeyFrame: @Sendable () -> Void

    /// Bytes of packets that may wait for the push's thread.
    private static let capacity = 4 << 20

    /// Taps one stream.
    static func stream(
        _ stream: String, in session: String, of engine: MediaEngine
    ) async throws(EngineError) -> PushSource {
        let tap = try await engine.openTap(
            session: session, stream: stream, capacity: capacity, decodes: true, chooses: true)
        let found = try? await engine.streams(session: session).first { $0.name == stream }
        var kinds: Set<MediaKind> = []
        if found?.audio != nil { kinds.insert(.audio) }
        if found?.video != nil { kinds.insert(.video) }
        return PushSource(
            tap: tap, kinds: kinds, codec: found?.codec ?? tap.codec,
            requestKeyFrame: { Task { try? await engine.requestKeyFrame(session: session, stream: stream, for: tap) } })
    }
}
