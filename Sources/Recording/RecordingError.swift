package import Codecs
package import Containers
import Glibc
package import MediaBase
package import MediaEngine

/// Reason that a recording could not start or has ended.
package enum RecordingError: Error, Sendable, CustomStringConvertible {
    case alreadyRecording(session: String, stream: String)
    case notRecording(session: String, stream: String)
    case sessionNotRecording(session: String)
    /// Too many sessions are recorded as a whole.
    case tooManySessions(limit: Int)
    /// The stream is encrypted end to end, and its codec is not VP8: no header tells whether its frames are whole.
    case encrypted(session: String, stream: String, codec: VideoCodec)
    /// The relay refused, such as for an unknown stream or too many taps.
    case engine(EngineError)
    /// A directory or the index could not be written.
    case directory(path: String, code: Int32, reason: String)
    /// The file could not be written; see `isOutOfSpace`.
    case file(ContainerError)
    /// libopus could not make an encoder.
    case encoder(CodecError)
    /// The system could not create a thread.
    case thread(code: Int32)

    /// Whether the cause is a full disk, a quota or a file size limit.
    package var isOutOfSpace: Bool {
        switch self {
        case .directory(_, let code, _): code == ENOSPC || code == EDQUOT || code == EFBIG
        case .file(let error): error.isOutOfSpace
        case .alreadyRecording, .notRecording, .sessionNotRecording, .tooManySessions, .encrypted, .engine, .encoder,
            .thread:
            false
        }
    }

    /// Whether a retry may succeed, because the disk or the system failed.
    package var isTransient: Bool {
        switch self {
        case .directory, .file, .encoder, .thread: true
        case .alreadyRecording, .notRecording, .sessionNotRecording, .tooManySessions, .encrypted, .engine: false
        }
    }

    /// Stable name for logs and metrics.
    package var code: String {
        switch self {
        case .alreadyRecording: "recordingExists"
        case .notRecording, .sessionNotRecording: "unknownRecording"
        case .tooManySessions: "limitReached"
        case .encrypted: "streamEncrypted"
        case .engine: "engine"
        case .directory: isOutOfSpace ? "diskFull" : "directory"
        case .file(let error): error.isOutOfSpace ? "diskFull" : "file"
        case .encoder: "encoder"
        case .thread: "thread"
        }
    }

    package var description: String {
        switch self {
        case .alreadyRecording(let session, let stream):
            "stream \(stream) of session \(session) is already being recorded"
        case .notRecording(let session, let stream): "stream \(stream) of session \(session) is not being recorded"
        case .sessionNotRecording(let session): "session \(session) is not being recorded"
        case .tooManySessions(let limit): "\(limit) sessions are recorded as a whole already"
        case .encrypted(let session, let stream, let codec):
            "stream \(stream) of session \(session) is encrypted end to end: only VP8 can then be recorded, not \(codec.rawValue)"
        case .engine(let error): "the relay refused: \(error)"
        case .directory(let path, _, let reason): "cannot write \(path): \(reason)"
        case .file(let error): "the recording failed: \(error)"
        case .encoder(let error): "no audio encoder: \(error)"
        case .thread(let code): "cannot start a thread for the recording (errno \(code))"
        }
    }
}
