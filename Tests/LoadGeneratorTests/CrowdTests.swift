import Foundation
import RelayServer
import Testing

@testable import LoadGenerator

@Suite("Participants of the control protocol", .timeLimit(.minutes(2)))
struct CrowdTests {
    @Test(arguments: [(0, 1, 0), (1, 2, 3), (19_999, 1_000_000, Int64.max)])
    func marksAreFoundInMessages(sender: Int, number: Int, sentAt: Int64) throws {
        let mark = SignalMark(sender: sender, number: number, sentAt: sentAt)
        let message = #"{"data":{"data":"\#(mark.text)","from":"abc","type":"load"},"event":"signal","seq":7}"#
        #expect(SignalMark(in: Array(message.utf8)) == mark)
    }

    @Test(arguments: ["", "#", "#1#2#", "#1#2#3", "#1##3#", "#1#2#99999999999999999999#", "#-1#2#3#", "{\"a\":\"b\"}"])
    func whatIsNoMarkIsNone(text: String) {
        #expect(SignalMark(in: Array(text.utf8)) == nil)
    }

    @Test func orderIsKeptForEachSender() {
        var order = SignalOrder()
        for (sender, number) in [(1, 1), (2, 1), (1, 2), (2, 3), (2, 2), (1, 2)] {
            order.receive(SignalMark(sender: sender, number: number, sentAt: 0))
        }
        #expect(order.received == 6 && order.disordered == 2)
    }

    @Test func whatCannotBeMeantIsRefused() {
        func plan(_ sessions: Int, _ participants: Int, signals: Double = 0, app: String? = nil) throws {
            _ = try CrowdPlan(
                address: "http://127.0.0.1:1", sessions: sessions, participants: participants, ramp: 1, duration: 1,
                signals: signals, app: app, secret: nil, maxJoinTime: nil)
        }
        #expect(throws: LoadError.self) { try plan(0, 1) }
        #expect(throws: LoadError.self) { try plan(1, 0) }
        #expect(throws: LoadError.self) { try plan(200, 200) }
        #expect(throws: LoadError.self) { try plan(1, 1, signals: .nan) }
        #expect(throws: LoadError.self) { try plan(1, 1, app: "shop") }
        #expect(throws: Never.self) { try plan(100, 20, signals: 500) }
    }

    @Test("SUB-3 participants with audio move into subsessions and back: each hears only its own subsession")
    func moves() async throws {
        var configuration = RelayConfiguration()
        configuration.httpPort = 0
        configuration.mediaPort = 0
        configuration.webRTCPort = 0
        configuration.development = true
        configuration.logLevel = "error"
        let relay = Relay(configuration: configuration)
        try await relay.start()
        let plan = try CrowdPlan(
            address: "http://127.0.0.1:\(relay.httpPort)", sessions: 1, participants: 13, ramp: 0, duration: 1,
            signals: 0, app: nil, secret: nil, maxJoinTime: nil, subsessions: 4)
        let report = try await CrowdRun(plan: plan, token: nil).run { _ in }
        #expect(report.isSuccess, "\(report.failures)")
        let moves = try #require(report.moves)
        #expect(moves.participants == 12 && moves.strays == 0 && moves.silent == 0)
        #expect(moves.packetsHeard > 100, "\(moves)")
        #expect(moves.heard + moves.stopped < 2_000, "\(moves)")
        await relay.stop()
    }

    @Test func joinsAndSpeaksToARelay() async throws {
        var configuration = RelayConfiguration()
        configuration.httpPort = 0
        configuration.mediaPort = 0
        configuration.webRTCPort = 0
        configuration.development = true
        configuration.logLevel = "error"
        let relay = Relay(configuration: configuration)
        try await relay.start()
        let plan = try CrowdPlan(
            address: "http://127.0.0.1:\(relay.httpPort)", sessions: 4, participants: 5, ramp: 0.5, duration: 1.5,
            signals: 200, app: nil, secret: nil, maxJoinTime: 10_000)
        let report = try await CrowdRun(plan: plan, token: nil).run { _ in }
        #expect(report.isSuccess, "\(report.failures)")
        #expect(report.joined == 20 && report.joinTime?.count == 20)
        #expect(report.signalsSent > 100 && report.signalsDelivered == report.signalsSent * 5)
        #expect(report.signalLatency?.count == report.signalsDelivered)
        // A relay with another secret refuses all participants, and the report names the reason.
        let strangers = try CrowdPlan(
            address: plan.address, sessions: 1, participants: 2, ramp: 0, duration: 1, signals: 10, app: "dev",
            secret: "another secret that is long enough", maxJoinTime: nil)
        let refused = try await CrowdRun(plan: strangers, token: nil).run { _ in }
        #expect(!refused.isSuccess && refused.joined == 0 && refused.failedJoins == ["refused": 2])
        #expect(refused.failures.first?.contains("tokenBadSignature") == true, "\(refused.failures)")
        await relay.stop()
    }
}
