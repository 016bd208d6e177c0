package import MediaBase

/// Reason for which a WHIP push is not live.
package enum PushFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The URL is not valid, or its scheme is not allowed.
    case unusableURL(String)
    /// The host has no address that the relay may send to.
    case addressRefused(String)
    case unreachable(String)
    /// The server's answer has an error status.
    /// - retryAfter: time after which the server asks to be called again; nil if it does not say.
    case refused(status: Int, retryAfter: MediaTime?)
    /// The server's answer or session description cannot be used.
    case unusableAnswer(String)
    /// The server does not take the stream's video codec.
    case codecRefused(VideoCodec)
    /// The media path could not be established, or was lost.
    case connectionLost(String)
    /// An error of the relay itself.
    case local(String)

    /// Statuses after which a repetition of the same request cannot succeed.
    private static let finalStatuses: Set<Int> = [400, 401, 403, 405, 406, 413, 415, 422, 501]

    /// Whether another try cannot succeed.
    package var isFinal: Bool {
        switch self {
        case .unusableURL, .addressRefused, .codecRefused: true
        case .refused(let status, _): Self.finalStatuses.contains(status) || (300..<400).contains(status)
        case .unreachable, .unusableAnswer, .connectionLost, .local: false
        }
    }

    package var description: String {
        switch self {
        case .unusableURL(let reason): reason
        case .addressRefused(let reason): reason
        case .unreachable(let reason): reason
        case .refused(let status, _): "the server answered with status \(status)"
        case .unusableAnswer(let reason): "the server's answer cannot be used: \(reason)"
        case .codecRefused(let codec): "the server does not take \(codec.rawValue)"
        case .connectionLost(let reason): "the connection is lost: \(reason)"
        case .local(let reason): reason
        }
    }
}
