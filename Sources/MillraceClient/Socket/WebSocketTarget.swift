import Foundation
import MediaBase
import NIOHTTP1
package import Signaling
import TLSChannel

/// Target of a WebSocket: a `ws`, `wss`, `http` or `https` URL of a relay, with or without the path of the endpoint.
package struct WebSocketTarget: Sendable {
    static let path = "/v1/connect"

    var host: String
    var port: Int
    var isSecure: Bool
    /// Path and query.
    var uri: String
    var token: String
    var timeout: MediaTime
    var checksCertificates: Bool
    /// Path of a PEM file with trusted authorities; nil for the system's.
    var trustedCertificates: String?

    package init(_ url: String, token: String, configuration: SessionConfiguration) throws(SignalingError) {
        try self.init(url, token: token, configuration.security)
    }

    /// - Throws: `invalidField` for an invalid URL.
    init(_ url: String, token: String, _ security: ConnectionSecurity) throws(SignalingError) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), ["ws", "wss", "http", "https"].contains(scheme)
        else { throw SignalingError(.invalidField, "\"\(url)\" is not the URL of a relay", field: "url") }
        isSecure = scheme == "wss" || scheme == "https"
        // `URLComponents` keeps the brackets of an IPv6 address.
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        port = parts.port ?? (isSecure ? 443 : 80)
        let base =
            parts.percentEncodedPath.hasSuffix("/")
            ? String(parts.percentEncodedPath.dropLast()) : parts.percentEncodedPath
        uri = base.hasSuffix(Self.path) ? base : base + Self.path
        if let query = parts.percentEncodedQuery { uri += "?" + query }
        self.token = token
        timeout = security.timeout
        checksCertificates = security.checksCertificates
        trustedCertificates = security.trustedCertificates
    }

    var requestHead: HTTPRequestHead {
        var headers = HTTPHeaders()
        let name = host.contains(":") ? "[\(host)]" : host
        headers.add(name: "Host", value: port == (isSecure ? 443 : 80) ? name : "\(name):\(port)")
        headers.add(name: "Authorization", value: "Bearer \(token)")
        headers.add(name: "Sec-WebSocket-Protocol", value: SignalingProtocol.subprotocol)
        headers.add(name: "Content-Length", value: "0")
        return HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: headers)
    }

    /// Creates the TLS settings; nil if the URL needs none.
    func tls() throws(TLSFailure) -> TLSContext? {
        guard isSecure else { return nil }
        guard checksCertificates else { return try .client(.everyone) }
        guard let trustedCertificates else { return try .client(.system) }
        return try .client(.authorities(try PEM.file(trustedCertificates)))
    }
}
