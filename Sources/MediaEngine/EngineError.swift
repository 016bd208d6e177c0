package import MediaBase

/// Reason for which the engine refused a call. `code` is stable: HTTP endpoints return it.
package enum EngineError: Error, Sendable, Equatable, Codable, CustomStringConvertible {
    case unknownSession(String)
    case unknownStream(String)
    case unknownTransport(String)
    /// A decoding reader was requested for a stream whose frames are encrypted end to end.
    case streamEncrypted(String)
    /// A publish request names a stream that the session already has.
    case streamExists(String)
    /// A requested SSRC is in use on the worker.
    case ssrcInUse(UInt32)
    /// A subscriber of one stream accepts video, but not the codec of the stream.
    case codecMismatch(offered: [VideoCodec], stream: VideoCodec)
    case invalidRequest(field: String, reason: String)
    case limitReached(name: String, limit: Int)
    case addressUnusable(address: String, reason: String)
    case systemCall(name: String, errno: Int32)
    case stopped

    /// A call about a stream that a pipe mirrors.
    static let publishedElsewhere = invalidRequest(field: "stream", reason: "is published at another relay")

    package var code: String {
        switch self {
        case .unknownSession: "unknownSession"
        case .unknownStream: "unknownStream"
        case .unknownTransport: "unknownTransport"
        case .streamEncrypted: "streamEncrypted"
        case .streamExists: "streamExists"
        case .ssrcInUse: "ssrcInUse"
        case .codecMismatch: "codecMismatch"
        case .invalidRequest: "invalidRequest"
        case .limitReached: "limitReached"
        case .addressUnusable: "addressUnusable"
        case .systemCall: "systemCall"
        case .stopped: "stopped"
        }
    }

    package var description: String {
        switch self {
        case .unknownSession(let name): "no session is named \"\(name)\""
        case .unknownStream(let name): "the session has no stream \"\(name)\""
        case .unknownTransport(let id): "no transport has the id \"\(id)\""
        case .streamEncrypted(let name): "the stream \"\(name)\" is encrypted end to end"
        case .streamExists(let name): "the session has a stream \"\(name)\" already"
        case .ssrcInUse(let ssrc): "SSRC \(ssrc) is in use"
        case .codecMismatch(let offered, let stream):
            "the stream has \(stream.rawValue), and the subscriber accepts "
                + offered.map(\.rawValue).joined(separator: ", ")
        case .invalidRequest(let field, let reason): "\(field): \(reason)"
        case .limitReached(let name, let limit): "the limit \(name) of \(limit) is reached"
        case .addressUnusable(let address, let reason): "cannot use \(address): \(reason)"
        case .systemCall(let name, let errno): "\(name) failed with errno \(errno)"
        case .stopped: "the engine has stopped"
        }
    }
}
