import Cluster
import Foundation
import HTTPTypes
import NIOHTTP1
import Signaling

/// Request for a WebSocket (RFC 6455 section 4.2.1), as far as NIO does not check it.
struct ConnectHandshake: Sendable, Equatable {
    static let path = "/v1/connect"
    private static let protocolField = "Sec-WebSocket-Protocol"

    /// Token from `Authorization`, or else from `?token=`.
    var token: String?
    /// `millrace.v1` if the client offers subprotocols; nil if it offers none.
    var subprotocol: String?
    /// Client for which another relay asks, as the request says. Only the listener of links may believe it.
    var proxied: ProxiedClient?
    /// Session that the client asks for, as another relay says.
    var target: ProxiedTarget?
    /// Relay that proxies the client, if media of the client may open there.
    var relay: RelayIdentity?

    /// Returns nil if the request is for another path, or offers subprotocols without this one.
    init?(_ head: HTTPRequestHead) {
        guard head.method == .GET, let components = URLComponents(string: head.uri), components.path == Self.path
        else { return nil }
        let offered = head.headers[canonicalForm: Self.protocolField]
        if !offered.isEmpty {
            guard offered.contains(SignalingProtocol.subprotocol[...]) else { return nil }
            subprotocol = SignalingProtocol.subprotocol
        }
        token =
            head.headers.first(name: "Authorization").flatMap(Self.bearer)
            ?? components.queryItems?.first { $0.name == "token" }?.value
        proxied = head.headers.first(name: ProxiedClient.field).flatMap(ProxiedClient.init)
        target = head.headers.first(name: ProxiedTarget.field).flatMap(ProxiedTarget.init)
        relay = head.headers.first(name: RelayIdentity.field).flatMap(RelayIdentity.init(field:))
    }

    /// Header fields of the 101 answer, apart from those of NIO.
    var answer: HTTPHeaders {
        var headers = HTTPHeaders()
        if let subprotocol { headers.add(name: Self.protocolField, value: subprotocol) }
        return headers
    }

    /// Returns the token of an `Authorization` field (RFC 6750 section 2.1).
    static func bearer(_ field: String) -> String? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}
