import ControlServer
import Foundation
import MillraceTokens
import NIOCore
import Testing

@Suite("Foreign pages at WHIP, WHEP and the WebSocket")
struct ForeignPageTests {
    private static let secret = "shop-secret-shop-secret-shop-secret"
    private static let evil = ["Origin": "https://evil.example"]

    private func exchange(
        _ http: RawHTTPClient, _ method: String, _ path: String, host: String, body: String = "",
        fields: [String: String] = [:]
    ) async throws -> RawHTTPResponse {
        var text =
            "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\nContent-Type: application/sdp\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        return try await http.exchange(text + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    @Test("WHIP and WHEP without a token refuse pages of other origins, and names that resolve to this host")
    func refused() async throws {
        try await withDoubledWebRTC { _, http, _ in
            let own = try await http.publish()
            let resource = try #require(own.fields["location"])
            let publish = try RawHTTPClient.offer("chromium-publish")
            let view = try RawHTTPClient.offer("chromium-view")
            let requests = [
                ("POST", "/whip/demo", publish), ("POST", "/whep/demo", view), ("GET", "/whip/demo", ""),
                ("PATCH", resource, ""), ("DELETE", resource, ""),
            ]
            for (method, path, body) in requests {
                let foreign = try await exchange(
                    http, method, path, host: "localhost:\(http.port)", body: body, fields: Self.evil)
                #expect(foreign.status == 403 && foreign.problemCode == "notPermitted", "\(method) \(path)")
                let rebound = try await exchange(
                    http, method, path, host: "evil.example", body: body, fields: ["Origin": "http://evil.example"])
                #expect(rebound.status == 403, "\(method) \(path)")
                let bare = try await exchange(http, method, path, host: "evil.example", body: body)
                #expect(bare.status == 403, "\(method) \(path)")
            }
            // Pages of the relay itself and clients other than browsers are accepted.
            let page = try await exchange(
                http, "POST", "/whep/demo", host: "localhost:\(http.port)", body: view,
                fields: ["Origin": "http://localhost:\(http.port)"])
            #expect(page.status == 201, "\(page.text)")
            #expect(try await http.request("DELETE", resource).status == 200)
        }
    }

    @Test("a configured origin may publish, patch and delete, and read the needed header fields; another one may not")
    func named() async throws {
        try await withDoubledWebRTC({
            $0.origins = AllowedOrigins(["https://app.example", "http://localhost:8000"]) ?? AllowedOrigins()
        }) { _, http, _ in
            let origin = ["Origin": "https://app.example"]
            let preflight = try await http.request(
                "OPTIONS", "/whip/demo", fields: origin.merging(["Access-Control-Request-Method": "POST"]) { $1 })
            #expect(preflight.fields["access-control-allow-origin"] == "https://app.example")
            #expect(preflight.fields["access-control-allow-methods"]?.contains("POST") == true)
            #expect(preflight.fields["vary"] == "Origin")
            let published = try await http.publish(fields: origin)
            #expect(published.fields["access-control-allow-origin"] == "https://app.example")
            for name in ["Location", "ETag", "Link"] {
                #expect(published.fields["access-control-expose-headers"]?.contains(name) == true)
            }
            let resource = try #require(published.fields["location"])
            let patched = try await http.request(
                "PATCH", resource, body: Fragment.trickle(of: "chromium-publish"),
                fields: origin.merging(["Content-Type": "application/trickle-ice-sdpfrag", "If-Match": "*"]) { $1 })
            #expect(patched.status == 204, "\(patched.text)")
            // The page can read errors, too.
            let wrong = try await http.request("POST", "/whip/demo", body: "{}", fields: origin)
            #expect(wrong.status == 415 && wrong.fields["access-control-allow-origin"] == "https://app.example")
            #expect(try await http.request("DELETE", resource, fields: origin).status == 200)

            let strange = try await http.request(
                "OPTIONS", "/whip/demo", fields: Self.evil.merging(["Access-Control-Request-Method": "POST"]) { $1 })
            #expect(strange.fields["access-control-allow-origin"] == nil)
            #expect(strange.fields["access-control-allow-methods"] == nil)
            #expect(strange.fields["vary"] == "Origin")
        }
    }

    @Test("a page with the endpoint's token may publish from any origin, under any host name")
    func tokens() async throws {
        try await withDoubledWebRTC({ $0.publishToken = "let-me-publish" }) { _, http, _ in
            let offer = try RawHTTPClient.offer("chromium-publish")
            let fields = Self.evil.merging(["Authorization": "Bearer let-me-publish"]) { $1 }
            let answer = try await exchange(
                http, "POST", "/whip/demo", host: "relay.example", body: offer, fields: fields)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.fields["access-control-allow-origin"] == "*")
            let bare = try await exchange(
                http, "POST", "/whip/demo", host: "relay.example", body: offer, fields: Self.evil)
            #expect(bare.status == 401)
        }
    }

    @Test(
        "foreign pages with a development token are refused; with an app's token they are accepted",
        arguments: [true, false])
    func sessionTokens(isPublic: Bool) async throws {
        let app = isPublic ? AppDirectory.development : "shop"
        let secret = isPublic ? AppDirectory.developmentSecret : Self.secret
        var grant = TokenGrant(session: "demo")
        try grant.set(role: "host")
        let token = try TokenMinter(app: app, secret: secret).mint(
            grant, now: Int64(Date().timeIntervalSince1970))
        try await withRelay {
            $0.development = isPublic
            $0.apps = "shop:\(Self.secret)"
        } _: { relay, http in
            let fields = Self.evil.merging(["Authorization": "Bearer \(token)"]) { $1 }
            let answer = try await http.request(
                "POST", "/whip/demo", body: RawHTTPClient.offer("chromium-publish"),
                fields: RawHTTPClient.sdp.merging(fields) { $1 })
            #expect(answer.status == (isPublic ? 403 : 201), "\(answer.text)")
        }
    }

    @Test(
        "a WebSocket is refused to foreign pages if session tokens are not secret",
        arguments: [
            ("localhost", nil, 101, 101), ("localhost", "http://localhost", 101, 101),
            ("localhost", "https://evil.example", 403, 101), ("evil.example", "http://evil.example", 403, 101),
            ("evil.example", nil, 403, 101),
        ] as [(String, String?, Int, Int)])
    func sockets(host: String, origin: String?, development: Int, tenants: Int) async throws {
        for (isDevelopment, status) in [(true, development), (false, tenants)] {
            try await withRelay {
                $0.development = isDevelopment
                if !isDevelopment { $0.apps = "shop:\(Self.secret)" }
            } _: { _, http in
                var text = "GET /v1/connect HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                text += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                if let origin { text += "Origin: \(origin)\r\n" }
                // A masked close frame ends the connection if it is a WebSocket.
                var bytes = ByteBuffer(string: text + "\r\n")
                bytes.writeBytes([0x88, 0x80, 0, 0, 0, 0])
                let answer = try await http.exchange(bytes)
                #expect(answer.status == status, "\(isDevelopment)")
            }
        }
    }
}
