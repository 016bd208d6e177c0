import Conference
import Recording

/// State of a stream's recording.
struct RecordAnswer: Encodable, Sendable {
    var session: String
    var stream: String
    /// `waiting` for a key frame, `recording`, `suspended` while the disk refuses writes, `ended` or `failed`.
    var phase: String
    /// Paths on the relay's host, the open file last.
    var files: [String]
    var bytes: Int64
    var videoFrames: UInt64
    var audioPackets: UInt64
    var lostPackets: UInt64
    var gaps: UInt64
    /// Frames and packets that are missing in the files because they were damaged.
    var damagedFrames: UInt64
    /// Jumps of the publisher's RTP time.
    var timeJumps: UInt64
    /// Number of times that writing failed.
    var suspensions: UInt64
    /// Reason for which it is suspended or failed, as a stable name: `diskFull`, `file`, `directory`.
    var reason: String?
    /// Description of the reason.
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
        damagedFrames = status.statistics.damagedFrames
        timeJumps = status.statistics.timeJumps
        suspensions = status.statistics.suspensions
        reason = status.error?.code
        error = status.error?.description
    }
}
