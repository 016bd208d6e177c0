import Cluster
import ClusterLink
import HTTPTypes
import NIOCore
import NIOWebSocket
import TLSChannel
import Testing

@Suite("WebSockets over links", .timeLimit(.minutes(1))) struct LinkSocketTests {
    /// A home relay and the ends of its WebSockets.
    private struct Home {
        let relay: HomeRelay
        let closed: AsyncStream<String>

        init() async throws {
            let (closed, continuation) = AsyncStream.makeStream(of: String.self)
            self.closed = closed
            relay = try await HomeRelay { try EchoSocket.add(to: $0, closed: continuation) }
        }

        func connect(
            _ path: String = "/v1/connect?token=t", _ settings: LinkSettings = .patient
        ) async throws -> LinkSocket {
            var fields = HTTPFields()
            fields[.authorization] = "Bearer t"
            fields[.secWebSocketProtocol] = "millrace.v1"
            return try await LinkCaller(Identities.edge, settings: settings).connect(
                path: path, fields: fields, authority: "edge.example", to: relay.description)
        }
    }

    @Test("texts up to megabytes go both ways, also in fragments, and the first may follow the handshake at once")
    func echo() async throws {
        let home = try await Home()
        let socket = try await home.connect()
        var input = socket.input.makeAsyncIterator()
        #expect(try await input.next() == .text(ByteBuffer(string: "welcome")))
        for count in [0, 1, 125, 126, 65_535, 65_536, 4_000_000] {
            let text = ByteBuffer(repeating: UInt8(ascii: "x"), count: count)
            try await socket.send(text)
            #expect(try await input.next() == .text(text))
        }
        try await home.relay.close()
    }

    @Test("the home relay's close code and reason reach the edge") func closedByHome() async throws {
        let home = try await Home()
        let socket = try await home.connect()
        try await socket.send(ByteBuffer(string: "remove"))
        var inputs: [LinkSocketInput] = []
        for try await input in socket.input { inputs.append(input) }
        #expect(inputs == [.text(ByteBuffer(string: "welcome")), .closed(.policyViolation, reason: "removed")])
        for await text in home.closed {
            #expect(text == "1008 ")
            break
        }
        await #expect(throws: LinkError.self) { try await socket.send(ByteBuffer(string: "late")) }
        try await home.relay.close()
    }

    @Test("the edge's close code and reason reach the home relay, and the socket ends") func closedByEdge() async throws
    {
        let home = try await Home()
        let socket = try await home.connect()
        socket.close(.goingAway, "left")
        for await text in home.closed {
            #expect(text == "1001 left")
            break
        }
        var last: LinkSocketInput?
        for try await input in socket.input { last = input }
        #expect(last == .closed(.goingAway, reason: "left"))
        try await home.relay.close()
    }

    @Test("a socket whose reader goes away ends at the home relay without a close frame") func abandoned() async throws
    {
        let home = try await Home()
        var socket: LinkSocket? = try await home.connect()
        #expect(socket != nil)
        socket = nil
        for await text in home.closed {
            #expect(text == "cut")
            break
        }
        try await home.relay.close()
    }

    @Test("a refused handshake is an error with the response, whose body is limited", arguments: [64 << 10, 7])
    func refused(limit: Int) async throws {
        let home = try await Home()
        var settings = LinkSettings.patient
        settings.refusalBytes = limit
        do {
            _ = try await home.connect("/v2/connect", settings)
            Issue.record("connected")
        } catch LinkError.refused(let head, let body) {
            #expect(head.status == .forbidden && head.headerFields[.contentType] == "application/problem+json")
            #expect(String(buffer: body) == #"{"code":"forbidden"}"#.prefix(limit))
        }
        try await home.relay.close()
    }

    @Test("a message above the limit ends the socket") func tooLarge() async throws {
        let home = try await Home()
        var settings = LinkSettings.patient
        settings.messageBytes = 1_000
        let socket = try await home.connect("/v1/connect?token=t", settings)
        try await socket.send(ByteBuffer(repeating: 120, count: 1_001))
        var input = socket.input.makeAsyncIterator()
        _ = try await input.next()
        await #expect(throws: LinkError.self) { try await input.next() }
        for await text in home.closed {
            #expect(text == "1009 a message has at most 1000 bytes")
            break
        }
        try await home.relay.close()
    }

    @Test("a home relay with another certificate, and an edge with one, are not connected") func wrongPeers()
        async throws
    {
        let home = try await Home()
        var other = home.relay.description
        other.fingerprint = Identities.stranger.fingerprint
        for (identity, relay, part) in [
            (Identities.edge, other, "\(TLSFailure.unknownPeer)"),
            (Identities.stranger, home.relay.description, "alert"),
        ] {
            guard case .connect(let reason) = await failure(identity, relay) else {
                Issue.record("connected")
                continue
            }
            #expect(reason.contains(part))
        }
        try await home.relay.close()
    }

    private func failure(_ identity: LinkIdentity, _ relay: RelayDescription) async -> LinkError? {
        do throws(LinkError) {
            _ = try await LinkCaller(identity, settings: .patient).connect(path: "/v1/connect", fields: [:], to: relay)
            return nil
        } catch {
            return error
        }
    }
}
