import Cluster
import Conference
import Foundation
import NIOHTTP1

/// Request for a media link (RFC 6455 section 4.2.1): the home relay of a session asks a relay that has clients of it. Only the listener of
/// links may believe it.
struct MediaLinkHandshake: Sendable {
    static let path = "/cluster/media"

    let key: SessionKey
    let home: RelayIdentity
    let term: MediaLinkTerm

    /// Returns nil if the request is for another path, or lacks a field.
    init?(_ head: HTTPRequestHead) {
        func field<Value>(_ name: String, _ parse: (String) -> Value?) -> Value? {
            head.headers.first(name: name).flatMap(parse)
        }
        guard head.method == .GET, URLComponents(string: head.uri)?.path == Self.path,
            case .session(let key)? = field(ProxiedTarget.field, ProxiedTarget.init),
            let home = field(RelayIdentity.field, RelayIdentity.init(field:)),
            let term = field(MediaLinkTerm.field, MediaLinkTerm.init)
        else { return nil }
        self.key = key
        self.home = home
        self.term = term
    }
}
