import Canvas

/// Reason that a stream cannot be tapped.
public enum TapError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The relay has not started, or has stopped.
    case notRunning
    /// The name is not a valid session name.
    case invalidSession(reason: String)
    case unknownSession(String)
    case unknownStream(String)
    /// The stream is encrypted end to end, so that the relay cannot decode it.
    case streamEncrypted(String)
    /// `TapOptions` select neither audio nor video.
    case nothingWanted
    /// A limit of the relay (`limit.taps`) or of the system was reached, or decoding failed.
    case failed(reason: String)

    /// - Parameter session: name of the session as the caller gave it.
    init(_ error: CanvasError, session: String) {
        switch error {
        case .engine(.unknownSession): self = .unknownSession(session)
        case .engine(.unknownStream(let name)): self = .unknownStream(name)
        case .engine(.streamEncrypted(let name)): self = .streamEncrypted(name)
        case .engine(.stopped): self = .notRunning
        case .engine, .codec, .container, .codecNotDecodable, .noFrame, .undecodable, .thread:
            self = .failed(reason: "\(error)")
        }
    }

    public var description: String {
        switch self {
        case .notRunning: "the relay is not running"
        case .invalidSession(let reason): reason
        case .unknownSession(let name): "no session is named \"\(name)\""
        case .unknownStream(let name): "the session has no stream \"\(name)\""
        case .streamEncrypted(let name): "the stream \"\(name)\" is encrypted end to end"
        case .nothingWanted: "the options select neither audio nor video"
        case .failed(let reason): reason
        }
    }
}
