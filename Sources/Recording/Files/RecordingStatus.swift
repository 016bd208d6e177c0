/// Status of one stream's recording.
package struct RecordingStatus: Sendable {
    package enum Phase: String, Sendable, Codable {
        /// Waiting for a key frame; nothing is written yet.
        case waiting
        case recording
        /// The disk or the directory failed; see `error`. Writing is retried in a new file.
        case suspended
        /// The stream ended, or recording was stopped.
        case ended
        /// The recording ended while it was suspended; see `error`.
        case failed

        /// Whether the recording has not ended yet.
        package var isRunning: Bool { self == .waiting || self == .recording || self == .suspended }
    }

    package var session: String
    package var stream: String
    package var phase: Phase = .waiting
    /// Paths of the files written so far, including the open one at the end.
    package var files: [String] = []
    package var statistics = RecordingStatistics()
    package var error: RecordingError?
}
