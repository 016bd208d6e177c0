package import Containers
import Glibc
package import MediaEngine

/// Why a recording could not begin, or ended.
package enum RecordingError: Error, Sendable, CustomStringConvertible {
    case alreadyRecording(session: String, stream: String)
    case notRecording(session: String, stream: String)
    /// The relay refused: no such stream, too many taps.
    case engine(EngineError)
    /// A directory or the index could not be written.
    case directory(path: String, code: Int32, reason: String)
    /// The file could not be written; `isOutOfSpace` tells a full disk.
    case file(ContainerError)
    /// The system gave no thread.
    case thread(code: Int32)

    /// True for a full disk, a quota or a file size limit.
    package var isOutOfSpace: Bool {
        switch self {
        case .directory(_, let code, _): code == ENOSPC || code == EDQUOT || code == EFBIG
        case .file(let error): error.isOutOfSpace
        case .alreadyRecording, .notRecording, .engine, .thread: false
        }
    }

    /// True when the same may succeed later: the disk or the system refused.
    package var isTransient: Bool {
        switch self {
        case .directory, .file, .thread: true
        case .alreadyRecording, .notRecording, .engine: false
        }
    }

    /// Stable name for logs and metrics.
    package var code: String {
        switch self {
        case .alreadyRecording: "recordingExists"
        case .notRecording: "unknownRecording"
        case .engine: "engine"
        case .directory: isOutOfSpace ? "diskFull" : "directory"
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
        case .directory(let path, _, let reason): "cannot write \(path): \(reason)"
        case .file(let error): "the recording failed: \(error)"
        case .thread(let code): "no thread for the recording (errno \(code))"
        }
    }
}
