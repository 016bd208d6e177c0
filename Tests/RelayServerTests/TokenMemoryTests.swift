import Foundation
import Signaling
import Testing

@Suite(
    "Memory that one token can take", .serialized,
    .enabled(if: MillraceProcess.isBuilt, "the millrace product is not built"))
struct TokenMemoryTests {
    private struct Ready: Decodable {
        var url: String
    }

    private struct Minted: Decodable {
        var token: String
    }

    private func token(_ role: String, _ http: RawHTTPClient) async throws -> String {
        let answer = try await http.request("GET", "/v1/dev/token?session=demo&role=\(role)&name=\(role)")
        return try JSONDecoder().decode(Minted.self, from: Data(answer.body)).token
    }

    private func join(_ token: String, _ port: Int) async throws -> Result<SocketClient, SignalingError> {
        let client = try await SocketClient(port: port)
        let request = JoinRequest(session: "demo", token: token, name: "x")
        return try await client.request(request).map { _ in client }
    }

    @Test("Sockets that never read and subscribers of one token use less than 64 MiB", .timeLimit(.minutes(3)))
    func subscriber() async throws {
        let relay = try MillraceProcess([
            "serve", "--dev", "--json", "--http-port", "0", "--media-port", "0", "--webrtc-port", "0",
            "--media-address", "127.0.0.1", "--limit-messages-per-second", "100000",
        ])
        defer { relay.signal(SIGKILL) }
        let url = try JSONDecoder().decode(Ready.self, from: Data(await relay.firstLine().utf8)).url
        let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
        let http = RawHTTPClient(port: port)
        let talker = try await join(try await token("participant", http), port).get()
        let publish = #"{"direction":"publish","stream":"cam","audio":{"ssrc":1001,"payloadType":111}}"#
        #expect(try await http.request("POST", "/v1/sessions/demo/plain", body: publish).status == 201)
        let before = relay.residentBytes

        let subscriber = try await token("subscriber", http)
        var sockets: [SocketClient] = []
        while sockets.count < 200, case .success(let socket) = try await join(subscriber, port) {
            socket.pause()
            sockets.append(socket)
        }
        var subscribers = 0
        let fields = ["Authorization": "Bearer \(subscriber)"]
        while subscribers < 200, try await http.view("demo/cam", fields: fields).status == 201 { subscribers += 1 }
        var peak = relay.residentBytes
        let data = String(repeating: "x", count: 8_000)
        for _ in 0..<1_500 {
            #expect(try await talker.ask(SignalRequest(type: "n", data: data)) == nil)
            peak = max(peak, relay.residentBytes)
        }
        #expect(sockets.count == 16 && subscribers == 32)
        #expect(peak - before < 64 << 20, "\((peak - before) >> 20) MiB")
        let metrics = try await http.request("GET", "/metrics").text
        for limit in ["participantsPerToken", "transportsPerToken"] {
            #expect(metrics.contains("millrace_resource_refusals_total{limit=\"limit.\(limit)\"} 1"))
        }
        for socket in sockets { await socket.cut() }
    }
}
