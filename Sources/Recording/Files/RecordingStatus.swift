/// How one stream's recording stands.
package struct RecordingStatus: Sendable {
    package enum Phase: String, Sendable, Codable {
        /// No key frame yet: nothing is written.
        case waiting
        case recording
        /// The disk, or the directory, failed; `error` says how. Writing is tried again, and begins a new file.
        case suspended
        /// The stream ended or recording was stopped.
        case ended
        /// The recording ended while it was suspended; `error` says why.
        case failed

        /// True until the recording has ended.
        package var isRunning: Bool { self == .waiting || self == .recording || self == .suspended }
    }

    package var session: String
    package var stream: String
    package var phase: Phase = .waiting
    /// Paths of the files written so far, the open one last.
    package var files: [String] = []
    package var statistics = RecordingStatistics()
    package var error: RecordingError?
}
