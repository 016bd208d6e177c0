import Conference
import ControlServer
import Cryptography
import Foundation
import HTTPCalls
import Logging
import MediaBase
import MillraceTestKit
import RelayServer
import ServiceLifecycle
import Signaling
import Testing

@Suite("Webhooks: against a server that fails on purpose")
struct WebhookServiceTests {
    private static let secret = "webhook-secret"

    private func withWebhooks(
        script: [Int], firstPause: MediaTime = .milliseconds(10),
        _ body: (WebhookService, WebhookReceiver, WebhookStatistics) async throws -> Void
    ) async throws {
        let receiver = try await WebhookReceiver(script: script)
        let statistics = WebhookStatistics()
        var limits = WebhookQueue.Limits()
        limits.firstPause = firstPause
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let url = try #require(HTTPTarget("http://127.0.0.1:\(receiver.port)/hooks?x=1"))
        let service = WebhookService(
            url: url, secret: Self.secret, limits: limits, statistics: statistics, logger: logger)
        let group = ServiceGroup(services: [service], logger: logger)
        let task = Task { try await group.run() }
        try await body(service, receiver, statistics)
        await group.triggerGracefulShutdown()
        try await task.value
        try await receiver.close()
    }

    private func event(_ kind: WebhookEvent.Kind, _ session: String = "lobby") throws -> WebhookEvent {
        WebhookEvent(kind, session: try SessionKey(app: "shop", name: session), time: 1)
    }

    private func names(_ received: [WebhookReceiver.Received]) throws -> [String] {
        try received.map {
            let json = try #require(try JSONSerialization.jsonObject(with: Data($0.body)) as? [String: Any])
            return "\(json["number"] ?? 0) \(json["event"] ?? "")"
        }
    }

    @Test func failuresAreTriedAgainAndTheOrderHolds() async throws {
        try await withWebhooks(script: [500, 0, 429, 200, 503, 200]) { service, receiver, statistics in
            for kind in [WebhookEvent.Kind.sessionStarted, .participantJoined, .participantLeft, .sessionEnded] {
                service.post(try event(kind))
            }
            let taken = await receiver.taken(4)
            #expect(
                try names(taken) == [
                    "1 sessionStarted", "2 participantJoined", "3 participantLeft", "4 sessionEnded",
                ])
            let all = receiver.received
            #expect(all.count == 8)
            // Each attempt of an event has the same id, and a signature with the attempt's time.
            #expect(Set(all.prefix(4).compactMap { $0.fields.first(name: WebhookMessage.idField) }).count == 1)
            #expect(Set(taken.compactMap { $0.fields.first(name: WebhookMessage.idField) }).count == 4)
            while statistics.values.delivered < 4 { await Task.yield() }
            #expect(statistics.values.retries == 4 && statistics.values.waiting == 0)
        }
    }

    @Test func theReceiverCanCheckTheSignature() async throws {
        try await withWebhooks(script: []) { service, receiver, _ in
            service.post(try event(.sessionStarted))
            let received = try #require(await receiver.taken(1).first)
            #expect(received.fields.first(name: "Content-Type") == "application/json")
            let field = try #require(received.fields.first(name: WebhookMessage.signatureField))
            let parts = try #require(try /t=(\d+),v1=([0-9a-f]{64})/.wholeMatch(in: field))
            let code = HMAC.code(
                of: Array("\(parts.1).".utf8) + received.body, key: Array(Self.secret.utf8), .sha256)
            #expect(code.map { String(format: "%02x", $0) }.joined() == parts.2)
            #expect(abs(Date().timeIntervalSince1970 - (Double(parts.1) ?? 0)) < 60)
        }
    }

    @Test func whatTheReceiverDoesNotWantIsGivenUp() async throws {
        try await withWebhooks(script: [400, 301, 200]) { service, receiver, statistics in
            for _ in 0..<3 { service.post(try event(.participantJoined)) }
            #expect(try names(await receiver.taken(1)) == ["3 participantJoined"])
            while statistics.values.delivered < 1 { await Task.yield() }
            #expect(statistics.values.refused == 2 && receiver.received.count == 3)
        }
    }

    @Test func oneSessionThatFailsHoldsUpNoOther() async throws {
        // The first request fails; its retry is due only after the test.
        try await withWebhooks(script: [500], firstPause: .seconds(600)) { service, receiver, statistics in
            service.post(try event(.sessionStarted, "a"))
            while statistics.values.waiting != 1 || receiver.received.isEmpty { await Task.yield() }
            service.post(try event(.participantJoined, "a"))
            for _ in 0..<3 { service.post(try event(.participantJoined, "b")) }
            #expect(try names(await receiver.taken(3)).map { $0.prefix(1) } == ["3", "4", "5"])
            #expect(statistics.values.waiting >= 2)
        }
    }

    @Test func aRelayTellsOfRecordings() async throws {
        let receiver = try await WebhookReceiver()
        let folder = TemporaryFolder()
        try await withRelay {
            $0.record = folder.path
            $0.webhookURL = "http://127.0.0.1:\(receiver.port)/"
            $0.webhookSecret = Self.secret
        } _: { relay, http in
            try await withMedia(relay, http: http) { media in
                try await http.until("millrace_recordings", isAtLeast: 1)
                _ = try await http.request("POST", media.path + "/record", body: #"{"action":"stop"}"#)
                let taken = await receiver.taken(2)
                #expect(try names(taken) == ["1 recordingStarted", "2 recordingFinished"])
                let last = try #require(taken.last)
                let json = try #require(
                    try JSONSerialization.jsonObject(with: Data(last.body)) as? [String: Any])
                let recording = try #require(json["recording"] as? [String: Any])
                #expect((recording["files"] as? [String])?.first?.hasPrefix(folder.path) == true)
                try await http.until("millrace_webhooks_delivered_total", isAtLeast: 2)
            }
        }
        try await receiver.close()
    }
}
