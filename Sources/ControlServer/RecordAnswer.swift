internal import Conference
internal import Recording

/// How a stream's recording stands.
struct RecordAnswer: Encodable, Sendable {
    var session: String
    var stream: String
    /// `waiting` for a key frame, `recording`, `ended` or `failed`.
    var phase: String
    /// Paths at the relay, the open file last.
    var files: [String]
    var bytes: Int64
    var videoFrames: UInt64
    var audioPackets: UInt64
    var lostPackets: UInt64
    var gaps: UInt64
    /// Why it failed.
    var error: String?

    /// - Parameter standard: the default app.
    init(_ status: RecordingStatus, standard: String) {
        session =
            SessionKey(engineName: status.session, standard: standard)?.name ?? status.session
        stream = status.stream
        phase = status.phase.rawValue
        files = status.files
        bytes = status.statistics.bytes
        videoFrames = status.statistics.videoFrames
        audioPackets = status.statistics.audioPackets
        lostPackets = status.statistics.lostPackets
        gaps = status.statistics.gaps
        error = status.error?.description
    }
}
