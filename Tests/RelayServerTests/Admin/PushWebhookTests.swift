import ControlServer
import Foundation
import RelayServer
import Signaling
import Testing

@Suite("LIV-1 webhooks of pushed live streams", .serialized, .timeLimit(.minutes(3)))
struct PushWebhookTests {
    /// Runs `body` with a relay that sends webhooks, and a stream `cam` in its session `demo`.
    private func withCamera(
        allowsPrivate: Bool, _ body: (RawHTTPClient, WebhookReceiver, _ resource: String) async throws -> Void
    ) async throws {
        let receiver = try await WebhookReceiver()
        try await withRelay {
            $0.webhookURL = "http://127.0.0.1:\(receiver.port)/"
            $0.liveAllowPrivate = allowsPrivate
        } _: { _, http in
            let peer = try await MediaPeer(.publish)
            _ = peer.add()
            let published = try await http.request(
                "POST", "/whip/demo?stream=cam", body: peer.offer().sdp, fields: RawHTTPClient.sdp)
            try #require(published.status == 201, "\(published.text)")
            try peer.accept(published.text)
            try await eventually("the stream has media") {
                let list = try await http.request("GET", "/v1/admin/sessions").json["sessions"] as? [[String: Any]]
                return list?.first?["streams"] as? Int == 1
            }
            try await body(http, receiver, try #require(published.fields["location"]))
            await peer.close()
        }
        try await receiver.close()
    }

    /// Starts a push as the operator, and returns its id.
    private func start(_ http: RawHTTPClient, to url: String) async throws -> String {
        let body = #"{"to":"\#(url)","stream":"cam","allowHTTP":true}"#
        let answer = try await http.request("POST", "/v1/admin/sessions/demo/live", body: body)
        try #require(answer.status == 201, "\(answer.text)")
        return try #require(try answer.json["id"] as? String)
    }

    /// Returns the next event of a push, without later tries that fail as the first one did.
    private func next(
        _ event: String, of live: String, _ receiver: WebhookReceiver
    ) async throws -> (live: [String: Any], reason: String?) {
        while true {
            let received = try #require(await receiver.taken(1).first)
            let json = try #require(try JSONSerialization.jsonObject(with: Data(received.body)) as? [String: Any])
            guard let push = json["live"] as? [String: Any] else { continue }
            let name = json["event"] as? String
            #expect(push["id"] as? String == live && push["stream"] as? String == "cam")
            #expect((json["session"] as? [String: Any])?["name"] as? String == "demo")
            if name == event { return (push, json["reason"] as? String) }
            try #require(name == "liveFailed", "\(name ?? "") came before \(event)")
        }
    }

    @Test("A push sends liveStarted, liveFailed when its server stops, liveStarted after the next try, and liveStopped")
    func events() async throws {
        try await withCamera(allowsPrivate: true) { http, receiver, _ in
            var port = 0
            var live = ""
            try await withRelay { target, _ in
                port = target.httpPort
                live = try await start(http, to: "http://127.0.0.1:\(port)/whip/demo/live")
                let started = try await next("liveStarted", of: live, receiver)
                #expect(started.reason == nil && started.live["detail"] == nil && started.live["retryIn"] == nil)
            }
            let failed = try await next("liveFailed", of: live, receiver)
            let reason = try #require(failed.reason.flatMap { PushFailureReason(rawValue: $0) })
            #expect([.connectionLost, .unreachable].contains(reason))
            #expect((failed.live["detail"] as? String)?.isEmpty == false)
            #expect((failed.live["retryIn"] as? Int ?? 0) >= 1)
            try await withRelay({ $0.httpPort = port }) { _, _ in
                _ = try await next("liveStarted", of: live, receiver)
                #expect(try await http.request("DELETE", "/v1/admin/sessions/demo/live/\(live)").status == 204)
                let stopped = try await next("liveStopped", of: live, receiver)
                #expect(stopped.reason == PushEndReason.stopped.rawValue)
            }
        }
    }

    @Test("A push that never reached its server sends liveFailed, and liveStopped when its stream ends")
    func streamEnds() async throws {
        try await withCamera(allowsPrivate: true) { http, receiver, resource in
            // Nothing listens on port 1.
            let live = try await start(http, to: "http://127.0.0.1:1/whip")
            let failed = try await next("liveFailed", of: live, receiver)
            #expect(failed.reason == PushFailureReason.unreachable.rawValue)
            #expect((failed.live["retryIn"] as? Int ?? 0) >= 1)
            #expect(try await http.request("DELETE", resource).status == 200)
            let stopped = try await next("liveStopped", of: live, receiver)
            #expect(stopped.reason == PushEndReason.streamEnded.rawValue)
        }
    }

    @Test("A push to a refused address sends liveFailed without a next try, and liveStopped")
    func refused() async throws {
        try await withCamera(allowsPrivate: false) { http, receiver, _ in
            let live = try await start(http, to: "http://127.0.0.1:1/whip")
            let failed = try await next("liveFailed", of: live, receiver)
            #expect(failed.reason == PushFailureReason.addressRefused.rawValue && failed.live["retryIn"] == nil)
            let stopped = try await next("liveStopped", of: live, receiver)
            #expect(stopped.reason == PushEndReason.failed.rawValue)
        }
    }
}
