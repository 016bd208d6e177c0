import ControlServer
import NIOCore
import NIOPosix
import RelayServer
import Signaling
import Testing

@Suite("HTTP connections without requests", .serialized)
struct IdleConnectionTests {
    /// Opens a connection that sends nothing.
    private func idle(_ http: RawHTTPClient) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: http.port).get()
    }

    @Test(
        "idle connections that reach the limit are closed for others; WebSockets and publishers stay",
        .timeLimit(.minutes(1)))
    func makeRoom() async throws {
        try await withRelay({
            $0.httpConnections = 4
            $0.httpConnectionsPerAddress = 100
            $0.httpFirstRequestSeconds = 1
        }) { relay, http in
            let published = try await http.publish(stream: "cam")
            let socket = try await SocketClient(port: relay.httpPort)
            var others: [any Channel] = []
            // The last connections wait in the listen queue and replace the first ones.
            for _ in 0..<8 { others.append(try await idle(http)) }
            #expect(try await http.request("GET", "/healthz").status == 200)
            for other in others { try await other.closeFuture.get() }
            #expect(try await socket.ask(PingRequest()) == nil)
            #expect(socket.closed == nil)
            #expect(try await http.request("GET", #require(published.fields["location"])).status == 204)
        }
    }

    @Test("one address may have a limited number of connections, WebSockets included", .timeLimit(.minutes(1)))
    func ofOneAddress() async throws {
        try await withRelay({
            $0.httpConnectionsPerAddress = 7
            $0.httpFirstRequestSeconds = 60
        }) { relay, http in
            let statistics = try #require(relay.server).statistics
            var sockets: [SocketClient] = []
            for _ in 0..<4 { sockets.append(try await SocketClient(port: relay.httpPort)) }
            try await eventually("they are WebSockets") { statistics.values.connections == 0 }
            var others: [any Channel] = []
            for _ in 0..<3 { others.append(try await idle(http)) }
            try await eventually("they have come") { statistics.values.connections == 3 }
            let refused = try await http.request("GET", "/healthz")
            #expect(refused.status == 503 && refused.problemCode == "limitReached", "\(refused.text)")
            #expect(try refused.json["limit"] as? String == "http.connectionsPerAddress")
            #expect(refused.fields["retry-after"] != nil && refused.fields["connection"] == "close")
            // The refusal is sent before any request.
            #expect(try await http.exchange("").status == 503)
            try await others.removeLast().close()
            try await eventually("another connection is accepted") {
                try await http.request("GET", "/healthz").status == 200
            }
            #expect(statistics.values.limits["http.connectionsPerAddress", default: 0] >= 2)
            for socket in sockets { #expect(try await socket.ask(PingRequest()) == nil) }
            for other in others { try await other.close() }
        }
    }

    @Test("a connection that has sent a request may be idle for longer than a new one", .timeLimit(.minutes(1)))
    func kept() async throws {
        try await withRelay({
            $0.httpFirstRequestSeconds = 1
            $0.httpIdleSeconds = 3
        }) { _, http in
            let start = ContinuousClock.now
            let answer = try await http.exchange("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(answer.status == 200)
            #expect(start.duration(to: .now) > .milliseconds(2_900))
        }
    }
}
