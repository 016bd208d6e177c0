import CLinuxNet
import Foundation
import LoadGenerator
import MediaBase
import Signaling
import TestMedia
import Testing

@testable import ControlServer
@testable import RelayServer

@Suite(
    "A relay that is short of file descriptors", .serialized,
    .enabled(if: MillraceProcess.isBuilt, "the millrace product is not built"))
struct OpenFilesTests {
    private static let options = [
        "serve", "--dev", "--json", "--http-port", "0", "--media-port", "0", "--webrtc-port", "0", "--media-address",
        "127.0.0.1",
    ]

    private struct Ready: Decodable {
        var url: String
    }

    @Test(
        "idle connections of one address leave descriptors for others, and media flows",
        .timeLimit(.minutes(3)))
    func flood() async throws {
        OpenFileLimit.raise()
        let relay = try MillraceProcess(Self.options, openFiles: 512)
        defer { relay.signal(SIGKILL) }
        let line = await relay.firstLine()
        let url = try JSONDecoder().decode(Ready.self, from: Data(line.utf8)).url
        let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
        let flood = try IdleFlood(from: "127.0.0.2", to: "127.0.0.1", port: port, count: 800)
        defer { flood.close() }

        let http = RawHTTPClient(port: port)
        #expect(try await http.request("GET", "/healthz").status == 200)
        let metrics = try await http.request("GET", "/metrics").text
        #expect(metrics.contains("millrace_http_limit_refusals_total{limit=\"http.connectionsPerAddress\"}"))
        // The flood used none of the 256 reserved descriptors.
        #expect(relay.openFileCount < 256)
        let socket = try await SocketClient(port: port)
        #expect(try await socket.ask(PingRequest()) == nil)

        var plan = LoadPlan(target: .url(url))
        plan.subscribers = 1
        plan.video = try VideoFormat(width: 320, height: 180, framesPerSecond: 15)
        plan.duration = .seconds(2)
        plan.ramp = .zero
        let report = try await LoadRun(plan: plan, relay: HTTPRelay(address: url, token: nil)).run { _ in }
        #expect(report.received.packets > 0 && report.received.lost == 0, "\(report.table)")
        await socket.cut()
    }

    @Test("A hard limit without space for connections is an error at the start")
    func tooFew() async throws {
        let relay = try MillraceProcess(Self.options, openFiles: 256)
        let result = await relay.result()
        #expect(result.status == 1)
        #expect(
            result.errors.contains("the process may open 256 files; the relay needs at least 320"), "\(result.errors)")
    }

    @Test("Accepting pauses at the descriptor ceiling and continues afterwards", .timeLimit(.minutes(1)))
    func ceiling() async throws {
        try await withConnect({ $0.descriptorCeiling = 0 }) { relay in
            // The connection is closed without an answer.
            await #expect(throws: (any Error).self) { _ = try await relay.http.request("GET", "/healthz") }
            #expect(relay.server.statistics.values.acceptPauses == 1)
            await #expect(throws: (any Error).self) { _ = try await relay.http.request("GET", "/healthz") }
            #expect(relay.server.statistics.values.acceptPauses == 2)
        }
    }
}
