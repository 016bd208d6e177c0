/// Why a load run cannot begin or go on.
package enum LoadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A setting that makes no sense: which, and why. The command line's exit code for it is 2.
    case invalidSetting(String, reason: String)
    /// The relay's answer was no: HTTP status (0 in the process), error code, text.
    case refused(status: Int, code: String, detail: String)
    /// The relay did not answer, or not with what its protocol says.
    case door(String)
    /// The relay's answer to an offer cannot be taken.
    case answer(String)
    /// A peer connection was agreed on, but did not come about.
    case notConnected(String)
    case system(call: String, errno: Int32)
    case address(String)
    /// An encoder or decoder, or SRTP, failed.
    case media(String)

    /// A word for each case, to count by.
    package var kind: String {
        switch self {
        case .invalidSetting: "invalidSetting"
        case .refused: "refused"
        case .door: "noAnswer"
        case .answer: "unusableAnswer"
        case .notConnected: "notConnected"
        case .system, .address: "system"
        case .media: "media"
        }
    }

    package var description: String {
        switch self {
        case .invalidSetting(let name, let reason): "\(name): \(reason)"
        case .refused(let status, let code, let detail):
            "the relay refused (\(status > 0 ? "HTTP \(status), " : "")\(code)): \(detail)"
        case .door(let reason): reason
        case .answer(let reason): "the relay's SDP does not do: \(reason)"
        case .notConnected(let reason): "no peer connection: \(reason)"
        case .system(let call, let errno): "\(call) failed with errno \(errno)"
        case .address(let text): "\"\(text)\" is not a numeric address"
        case .media(let reason): reason
        }
    }
}
