import Conference
import Signaling

/// Session that a proxied client asks for, in a header field of its WebSocket handshake over a link, so that a relay that is not the home
/// relay can refuse it before the first message.
enum ProxiedTarget: Hashable, Sendable {
    static let field = "Millrace-Session"

    case session(SessionKey)
    /// The client resumes.
    case id(SessionID)

    /// Parses the value of the header field: `app/name` with both parts percent-encoded, or an id.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.utf8.count <= 4_096 else { return nil }
        switch parts.count {
        case 1 where !text.isEmpty: self = .id(SessionID(rawValue: text))
        case 2:
            guard let app = parts[0].removingPercentEncoding, let name = parts[1].removingPercentEncoding,
                let key = try? SessionKey(app: app, name: name)
            else { return nil }
            self = .session(key)
        default: return nil
        }
    }

    /// Value of the header field.
    var text: String {
        switch self {
        case .session(let key): StreamName.percentEncoded(key.app) + "/" + StreamName.percentEncoded(key.name)
        case .id(let id): id.rawValue
        }
    }
}
