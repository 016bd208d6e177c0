import ControlServer
import MillraceTestKit
import SDP
import Testing

/// Runs `body` against a control server with a test double of the media engine.
func withDoubledWebRTC(
    _ configure: (inout ControlConfiguration) -> Void = { _ in },
    _ body: (WebRTCDouble, RawHTTPClient, OpenBodies) async throws -> Void
) async throws {
    let double = WebRTCDouble()
    try await withEndpoints(configure) { engine, configuration, bodies, logger in
        ControlServer(
            engine: engine, webRTC: double, configuration: configuration, recorder: nil, bodies: bodies,
            parts: try ControlParts(bare: engine, logger: logger), logger: logger)
    } body: { server, http in
        try await body(double, http, server.bodies)
    }
}

extension RawHTTPClient {
    static let sdp = ["Content-Type": "application/sdp"]

    /// Returns the offer of a real client (Tests/Vectors/sdp).
    static func offer(_ name: String) throws -> String { try TestVector.text("sdp/\(name).sdp") }

    /// Publishes and expects success.
    func publish(
        _ session: String = "demo", stream: String? = nil, offer: String = "chromium-publish",
        fields: [String: String] = [:]
    ) async throws -> RawHTTPResponse {
        let answer = try await request(
            "POST", "/whip/\(session)" + (stream.map { "?stream=\($0)" } ?? ""), body: Self.offer(offer),
            fields: Self.sdp.merging(fields) { $1 })
        try #require(answer.status == 201, "\(answer.status) \(answer.text)")
        return answer
    }

    func view(
        _ path: String = "demo", offer: String = "chromium-view", fields: [String: String] = [:]
    ) async throws -> RawHTTPResponse {
        try await request(
            "POST", "/whep/\(path)", body: Self.offer(offer), fields: Self.sdp.merging(fields) { $1 })
    }

    /// Sends a fragment by `PATCH`.
    func patch(_ path: String, _ fragment: String, tag: String?) async throws -> RawHTTPResponse {
        var fields = ["Content-Type": "application/trickle-ice-sdpfrag"]
        fields["If-Match"] = tag
        return try await request("PATCH", path, body: fragment, fields: fields)
    }
}

/// SDP fragments that clients send by `PATCH`.
enum Fragment {
    /// Returns candidates of the ICE session that an offer began.
    static func trickle(of offer: String) throws -> String {
        let peer = try Offer(parsing: RawHTTPClient.offer(offer).utf8).peer.credentials
        return text(peer.ufrag, peer.password)
    }

    /// A fragment with new ICE credentials.
    static let restart = text("New1", "newpasswordnewpassword1")

    static func text(_ ufrag: String, _ password: String) -> String {
        """
        a=ice-options:trickle ice2\r
        a=group:BUNDLE 0 1\r
        m=audio 9 UDP/TLS/RTP/SAVPF 111\r
        a=mid:0\r
        a=ice-ufrag:\(ufrag)\r
        a=ice-pwd:\(password)\r
        a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag \(ufrag) network-id 1\r
        a=candidate:473322822 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active generation 0\r
        a=candidate:2 1 udp 2122194687 0b6e4d5c.local 61765 typ host\r
        a=end-of-candidates\r

        """
    }
}
