import Cluster
import Foundation
import HTTPTypes
import NIOHTTP1
import Signaling

/// Request for a WebSocket (RFC 6455 section 4.2.1), as far as NIO does not check it.
struct ConnectHandshake: Sendable, Equatable {
    static let path = "/v1/connect"
    /// Path of the links for media, on the listener of links only.
    static let mediaPath = "/cluster/media"
    private static let protocolField = "Sec-WebSocket-Protocol"

    /// Token from `Authorization`, or else from `?token=`.
    var token: String?
    /// `millrace.v1` if the client offers subprotocols; nil if it offers none.
    var subprotocol: String?
    /// Client for which another relay asks, as the request says. Only the listener of links may believe it.
    var proxied: ProxiedClient?
    /// Session that the client asks for, as another relay says; or that of a link for media.
    var target: ProxiedTarget?
    /// Relay that proxies the client, if media of the client may open there.
    var relay: RelayIdentity?
    /// Whether the other end is the home relay of a session, which sends calls about its media.
    let isMedia: Bool
    /// Term of that relay.
    var term: MediaLinkTerm?

    /// Returns nil if the request is for another path, or offers subprotocols without this one.
    init?(_ head: HTTPRequestHead) {
        guard head.method == .GET, let components = URLComponents(string: head.uri),
            [Self.path, Self.mediaPath].contains(components.path)
        else { return nil }
        isMedia = components.path == Self.mediaPath
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
        term = head.headers.first(name: MediaLinkTerm.field).flatMap(MediaLinkTerm.init)
    }

    /// Returns whether the request is a complete handshake for the control protocol, without a body.
    static func isComplete(_ head: HTTPRequestHead) -> Bool {
        func has(_ name: String, _ value: String) -> Bool {
            head.headers[canonicalForm: name].contains { $0.lowercased() == value }
        }
        return head.version == .http1_1 && ConnectHandshake(head) != nil && has("Connection", "upgrade")
            && head.headers[canonicalForm: "Upgrade"].map { $0.lowercased() } == ["websocket"]
            && head.headers[canonicalForm: "Sec-WebSocket-Version"] == ["13"]
            && head.headers[canonicalForm: "Sec-WebSocket-Key"].count == 1
            && !head.headers.contains(name: "Transfer-Encoding")
            && head.headers[canonicalForm: "Content-Length"].allSatisfy { $0 == "0" }
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
