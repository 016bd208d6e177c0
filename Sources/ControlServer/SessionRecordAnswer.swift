import Conference
import Recording

/// State of the recordings of a session.
struct SessionRecordAnswer: Encodable, Sendable {
    /// File of all recorded streams of the session.
    struct Composed: Encodable, Sendable {
        /// `waiting`, `composing`, `composed` or `failed`.
        var phase: String
        /// Path on the relay's host; nil until the file is complete.
        var file: String?
        var bytes: Int64
        /// Duration in seconds.
        var duration: Double
        /// Number of recorded files that are missing as a whole or in parts.
        var warnings: Int
        /// Description of the reason of a failure.
        var error: String?

        init(_ composition: Composition) {
            phase = composition.phase.rawValue
            file = composition.phase == .composed ? composition.output : nil
            bytes = composition.bytes
            duration = composition.duration
            warnings = composition.warnings
            error = composition.error
        }
    }

    var session: String
    /// Whether every stream is recorded, also those that are published later.
    var isRecorded: Bool
    /// Recordings of its streams: recent ended ones, newest last, followed by running ones.
    var streams: [RecordAnswer]
    /// Recent files of the whole session, newest last.
    var composed: [Composed]
}
