/// Reason why a load run cannot start or continue.
package enum LoadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// An invalid setting: its name and the reason. The exit code of the command line is 2.
    case invalidSetting(String, reason: String)
    /// The relay refused the request: HTTP status (0 in the process), error code, text.
    case refused(status: Int, code: String, detail: String)
    /// The relay did not answer, or not according to its protocol.
    case noAnswer(String)
    /// The relay's answer to an offer is unusable.
    case answer(String)
    /// A peer connection was negotiated but not established.
    case notConnected(String)
    case system(call: String, errno: Int32)
    case address(String)
    /// Failure of an encoder, a decoder or SRTP.
    case media(String)

    /// Name of the case, for counting.
    package var kind: String {
        switch self {
        case .invalidSetting: "invalidSetting"
        case .refused: "refused"
        case .noAnswer: "noAnswer"
        case .answer: "unusableAnswer"
        case .notConnected: "notConnected"
        case .system, .address: "system"
        case .media: "media"
        }
    }

    /// Throws `invalidSetting` unless a condition holds.
    static func check(_ holds: Bool, _ setting: String, _ reason: @autoclosure () -> String) throws(LoadError) {
        guard holds else { throw .invalidSetting(setting, reason: reason()) }
    }

    package var description: String {
        switch self {
        case .invalidSetting(let name, let reason): "\(name): \(reason)"
        case .refused(let status, let code, let detail):
            "the relay refused (\(status > 0 ? "HTTP \(status), " : "")\(code)): \(detail)"
        case .noAnswer(let reason): reason
        case .answer(let reason): "the relay's SDP is unusable: \(reason)"
        case .notConnected(let reason): "no peer connection: \(reason)"
        case .system(let call, let errno): "\(call) failed with errno \(errno)"
        case .address(let text): "\"\(text)\" is not a numeric address"
        case .media(let reason): reason
        }
    }
}
