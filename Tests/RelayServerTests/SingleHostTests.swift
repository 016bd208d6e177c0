import Testing

@Suite("RFC 9112 section 3.2: exactly one Host per request")
struct SingleHostTests {
    private static let handshake =
        "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nConnection: Upgrade\r\n"

    @Test(
        "a request without exactly one Host is refused",
        arguments: [
            "GET /healthz", "GET /", "GET /metrics", "GET /v1/sessions", "GET /v1/connect", "POST /whip/demo",
            "DELETE /whep/demo/s/1", "OPTIONS /whip/demo", "GET /nowhere",
        ])
    func refused(line: String) async throws {
        try await withRelay { relay, http in
            let fields = line.hasSuffix("connect") ? Self.handshake : "Connection: close\r\n"
            for hosts in ["", "Host: localhost\r\nHost: localhost\r\n", "Host: localhost\r\nhost: evil.example\r\n"] {
                let answer = try await http.exchange("\(line) HTTP/1.1\r\n\(hosts)\(fields)\r\n")
                #expect(answer.status == 400 && answer.problemCode == "malformedRequest", "\(hosts)")
                #expect(answer.text.contains("Host"))
                #expect(answer.fields["connection"] == "close")
            }
            #expect(relay.server?.statistics.values.connect.socketsTotal == 0)
        }
    }

    @Test("a later request without Host is refused and ends its connection")
    func later() async throws {
        try await withRelay { relay, http in
            let good = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            // The connection may end before the answer to the first request is sent.
            let answer = try? await http.exchange(good + "GET /v1/sessions HTTP/1.1\r\n\r\n")
            #expect(answer == nil || answer?.text == "ok\n")
            #expect(relay.server?.statistics.values.problems[.malformedRequest] == 1)
        }
    }

    @Test("an HTTP/1.0 request needs no Host and may have at most one")
    func old() async throws {
        try await withRelay { _, http in
            #expect(try await http.exchange("GET /healthz HTTP/1.0\r\n\r\n").status == 200)
            let two = try await http.exchange("GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n")
            #expect(two.status == 400)
        }
    }
}
