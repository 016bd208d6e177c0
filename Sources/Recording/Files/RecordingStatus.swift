/// How one stream's recording stands.
package struct RecordingStatus: Sendable {
    package enum Phase: String, Sendable, Codable {
        /// No key frame yet: nothing is written.
        case waiting
        case recording
        /// The stream ended or recording was stopped.
        case ended
        /// The disk, or the directory, failed; `error` says how.
        case failed
    }

    package var session: String
    package var stream: String
    package var phase: Phase = .waiting
    /// Paths of the files written so far, the open one last.
    package var files: [String] = []
    package var statistics = RecordingStatistics()
    package var error: RecordingError?
}
