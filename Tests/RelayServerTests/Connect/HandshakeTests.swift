import Foundation
import NIOCore
import NIOWebSocket
import Signaling
import Testing

@Suite("The WebSocket endpoint")
struct HandshakeTests {
    private static let fields = [
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    ]

    /// Returns the response to a handshake and the bytes that follow it.
    private func answer(_ port: Int, _ fields: [String: String]) async throws -> RawHTTPResponse {
        var text = "GET /v1/connect HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        // A close frame ends the connection if it became a WebSocket.
        var bytes = ByteBuffer(string: text + "\r\n")
        bytes.writeBytes([0x88, 0x80, 0, 0, 0, 0])
        return try await RawHTTPClient(port: port).exchange(bytes)
    }

    @Test("RFC 6455 section 4.2.2: the accept key and the subprotocol; bytes after the handshake are frames")
    func upgrades() async throws {
        try await withConnect { relay in
            var fields = Self.fields
            fields["Sec-WebSocket-Protocol"] = "other, millrace.v1"
            let head = try await answer(relay.port, fields)
            #expect(head.status == 101)
            #expect(head.fields["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(head.fields["sec-websocket-protocol"] == "millrace.v1")
            // The close frame that was sent with the handshake is answered with a close frame.
            #expect(head.body == [0x88, 0])
            #expect(try await answer(relay.port, Self.fields).status == 101)
            try await eventually("all are gone") { relay.counts.sockets == 0 }
            #expect(relay.counts.socketsTotal == 2)
        }
    }

    @Test func whatIsNoHandshakeGetsAProblem() async throws {
        try await withConnect { relay in
            let plain = try await relay.http.request("GET", "/v1/connect")
            #expect(plain.status == 400 && plain.problemCode == "malformedRequest")
            #expect(try await relay.http.request("POST", "/v1/connect").status == 405)
            var fields = Self.fields
            fields["Connection"] = "Upgrade"
            fields["Sec-WebSocket-Protocol"] = "millrace.v9"
            let other = try await relay.http.request("GET", "/v1/connect", fields: fields)
            #expect(other.status == 400 && other.problemCode == "unsupportedVersion")
            fields["Sec-WebSocket-Protocol"] = nil
            fields["Sec-WebSocket-Version"] = "8"
            let old = try await relay.http.request("GET", "/v1/connect", fields: fields)
            #expect(old.status == 400 && old.problemCode == "malformedRequest")
            fields["Sec-WebSocket-Version"] = "13"
            #expect(try await relay.http.request("GET", "/v1/elsewhere", fields: fields).status == 404)
            relay.bodies.beginDraining()
            let late = try await relay.http.request("GET", "/v1/connect", fields: fields)
            #expect(late.status == 503 && late.problemCode == "draining")
            #expect(relay.counts.socketsTotal == 0)
        }
    }

    @Test(
        "a request whose upgrade is not accepted gets its usual response", arguments: ["h2c", "websocket"])
    func upgradesThatAreNone(name: String) async throws {
        try await withConnect { relay in
            let fields = Self.fields.merging(["Upgrade": name, "Connection": "Upgrade"]) { $1 }
            let health = try await relay.http.request("GET", "/healthz", fields: fields)
            #expect(health.status == 200)
            let body = #"{"direction":"publish","stream":"cam","audio":{"ssrc":1}}"#
            let plain = try await relay.http.request("POST", "/v1/sessions/a/plain", body: body, fields: fields)
            #expect(plain.status == 201, "\(plain.text)")
            // A handshake with a body is malformed.
            let odd = try await relay.http.request("GET", "/v1/connect", body: "{}", fields: fields)
            #expect(odd.status == 400 && odd.problemCode == "malformedRequest")
            #expect(relay.counts.socketsTotal == 0)
        }
    }

    @Test func anAdminTokenIsNotAskedFor() async throws {
        try await withConnect({ $0.adminToken = "secret" }) { relay in
            let (client, _) = try await relay.join("Ada")
            #expect(try await client.ask(PingRequest()) == nil)
        }
    }

    @Test(
        "RFC 6455: a protocol violation of a client closes the connection with its status code",
        arguments: [
            ("binary", 1003), ("unmasked", 1002), ("reserved", 1002), ("opcode", 1002), ("oversize", 1009),
            ("oversizeInParts", 1009), ("manyParts", 1008), ("notUTF8", 1007), ("continuation", 1002),
            ("interleaved", 1002), ("longPing", 1002), ("closeCode", 1002), ("closeByte", 1002),
        ])
    func violations(name: String, code: Int) async throws {
        try await withConnect { relay in
            let (other, _) = try await relay.join("Other")
            let (client, answer) = try await relay.join("Ada")
            let limit = SignalingProtocol.maximumMessageBytes
            let half = ByteBuffer(repeating: UInt8(ascii: "x"), count: limit / 2 + 1)
            switch name {
            case "binary": try await client.send(opcode: .binary, ByteBuffer(string: "{}"))
            case "unmasked":
                try await client.send(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: "{}")))
            case "reserved":
                var frame = WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer())
                frame.rsv2 = true
                try await client.send(frame)
            case "opcode":
                try await client.send(opcode: try #require(WebSocketOpcode(encodedWebSocketOpcode: 5)), ByteBuffer())
            case "oversize":
                try await client.send(opcode: .text, ByteBuffer(repeating: 0x20, count: limit + 1))
            case "oversizeInParts":
                try await client.send(opcode: .text, half, fin: false)
                try await client.send(opcode: .continuation, half)
            case "manyParts":
                try await client.send(opcode: .text, ByteBuffer(), fin: false)
                for _ in 0..<64 { try await client.send(opcode: .continuation, ByteBuffer(), fin: false) }
            case "notUTF8": try await client.send(opcode: .text, ByteBuffer(bytes: [0x22, 0xC3, 0x28, 0x22]))
            case "continuation": try await client.send(opcode: .continuation, ByteBuffer(string: "{}"))
            case "interleaved":
                try await client.send(opcode: .text, ByteBuffer(string: "{"), fin: false)
                try await client.send(opcode: .text, ByteBuffer(string: "{}"))
            case "longPing": try await client.send(opcode: .ping, ByteBuffer(repeating: 0, count: 126))
            case "closeCode": try await client.send(opcode: .connectionClose, ByteBuffer(bytes: [0x03, 0xED]))
            default: try await client.send(opcode: .connectionClose, ByteBuffer(bytes: [0x03]))
            }
            let closed = try await client.closing()
            #expect(closed.code == code && !closed.reason.isEmpty)
            let left = try await other.next(.userLeft)
            #expect(left == .userLeft(UserLeft(user: answer.connection, reason: .protocolViolation)))
            #expect(try await other.ask(PingRequest()) == nil)
        }
    }

    @Test func fragmentsMakeAMessageAndPingsAreAnswered() async throws {
        try await withConnect { relay in
            let client = try await relay.connect()
            try await client.send(opcode: .text, ByteBuffer(string: #"{"id":7,"#), fin: false)
            try await client.send(opcode: .ping, ByteBuffer(string: "hello"))
            try await client.send(
                opcode: .continuation, ByteBuffer(string: #""method":"ping","params":{}"#), fin: false)
            try await client.send(opcode: .continuation, ByteBuffer(string: "}"))
            #expect(try await client.answer(to: 7, as: Done.self) == .success(Done()))
            #expect(client.pongs == 1)
            // A method without parameters may leave them out.
            try await client.send(text: #"{"id":8,"method":"ping"}"#)
            #expect(try await client.answer(to: 8, as: Done.self) == .success(Done()))
        }
    }

    @Test func silentClientsAreAskedAndThenLost() async throws {
        try await withConnect({ $0.connect.pingInterval = .milliseconds(400) }) { relay in
            let (client, _) = try await relay.join("Ada")
            try await eventually("pings") { client.pings > 2 }
            #expect(client.closed == nil)
            client.pause()
            // The client stops reading, so it sends no pongs.
            try await eventually("it is lost") { await relay.liveSessions.gauges().dropped == 1 }
        }
    }

    @Test func connectionsThatNeverJoinAreClosed() async throws {
        try await withConnect({ $0.connect.joinTime = .seconds(1) }) { relay in
            let idle = try await relay.connect()
            let (joined, _) = try await relay.join("Ada")
            #expect(try await idle.closing().code == 1008)
            let second = try await relay.connect()
            #expect(try await second.closing().code == 1008)
            #expect(try await joined.ask(PingRequest()) == nil)
        }
    }
}
