package import Containers
package import MediaEngine

/// Why a recording could not begin, or ended.
package enum RecordingError: Error, Sendable, CustomStringConvertible {
    case alreadyRecording(session: String, stream: String)
    case notRecording(session: String, stream: String)
    /// The relay refused: no such stream, too many taps.
    case engine(EngineError)
    /// A directory or the index could not be written.
    case directory(path: String, reason: String)
    /// The file could not be written; `isOutOfSpace` tells a full disk.
    case file(ContainerError)
    /// The system gave no thread.
    case thread(code: Int32)

    /// Stable name for logs and metrics.
    package var code: String {
        switch self {
        case .alreadyRecording: "recordingExists"
        case .notRecording: "unknownRecording"
        case .engine: "engine"
        case .directory: "directory"
        case .file(let error): error.isOutOfSpace ? "diskFull" : "file"
        case .thread: "thread"
        }
    }

    package var description: String {
        switch self {
        case .alreadyRecording(let session, let stream):
            "stream \(stream) of session \(session) is being recorded already"
        case .notRecording(let session, let stream): "stream \(stream) of session \(session) is not being recorded"
        case .engine(let error): "the relay refused: \(error)"
        case .directory(let path, let reason): "cannot write \(path): \(reason)"
        case .file(let error): "the recording failed: \(error)"
        case .thread(let code): "no thread for the recording (errno \(code))"
        }
    }
}
