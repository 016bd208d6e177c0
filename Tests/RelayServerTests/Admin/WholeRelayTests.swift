import ControlServer
import Foundation
import MillraceTestKit
import MillraceTokens
import RelayServer
import Signaling
import Testing

/// A relay as in production, with apps, signed tokens and an operator.
@Suite("A complete relay: tokens, operator, webhooks, reports, drain")
struct WholeRelayTests {
    private static let secrets = [
        "shop": "shop-secret-shop-secret-shop-secret", "bank": "bank-secret-bank-secret-bank-secret",
    ]

    private func withShop(
        _ configure: (inout RelayConfiguration) -> Void = { _ in },
        _ body: (Relay, RawHTTPClient) async throws -> Void
    ) async throws {
        try await withRelay {
            $0.apps = Self.secrets.map { $0.key + ":" + $0.value }.joined(separator: ",")
            $0.appDefault = "shop"
            configure(&$0)
        } _: { relay, http in
            try await body(relay, http)
        }
    }

    private func token(_ identity: String, role: String = "participant", app: String = "shop") async throws -> String {
        var grant = TokenGrant(session: "Lobby", identity: identity)
        try grant.set(role: role)
        let secret = try #require(Self.secrets[app])
        return try TokenMinter(app: app, secret: secret)
            .mint(grant, now: Int64(Date().timeIntervalSince1970))
    }

    private func join(
        _ relay: Relay, _ name: String, token: String, certificate: String? = nil
    ) async throws -> (client: SocketClient, answer: Result<JoinAnswer, SignalingError>) {
        let client = try await SocketClient(port: relay.httpPort, certificate: certificate)
        return (
            client, try await client.request(JoinRequest(session: "lobby", token: token, name: name))
        )
    }

    private func code(_ result: Result<JoinAnswer, SignalingError>) -> ErrorCode? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test("SES-3, TOK-2 users of two apps with the same session name never meet; a refused token gets its reason")
    func apps() async throws {
        try await withShop { relay, http in
            let (_, anna) = try await join(relay, "Anna", token: try await token("anna"))
            let (_, zoe) = try await join(relay, "Zoe", token: try await token("zoe", app: "bank"))
            #expect(try anna.get().users.map(\.name) == ["Anna"] && zoe.get().users.map(\.name) == ["Zoe"])
            #expect(try anna.get().session != zoe.get().session)
            #expect(try anna.get().users.first?.identity == "anna")
            let list = try await http.request("GET", "/v1/admin/sessions").json
            let sessions = try #require(list["sessions"] as? [[String: Any]])
            #expect(sessions.map { "\($0["app"] ?? "")/\($0["name"] ?? "")" } == ["bank/lobby", "shop/lobby"])
            let shop = try await http.request("GET", "/v1/admin/sessions/lobby/participants").json
            #expect((shop["participants"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["Anna"])

            let good = try await token("ben")
            let (_, forged) = try await join(relay, "Ben", token: good.dropLast(6) + "AAAAAA")
            #expect(code(forged) == .tokenBadSignature)
            let (_, none) = try await join(relay, "Ben", token: "e30.e30.")
            #expect(code(none) == .tokenMalformed)
            let metrics = try await http.request("GET", "/metrics").text
            #expect(metrics.contains("\nmillrace_tokens_refused_total{cause=\"tokenBadSignature\"} 1\n"))
            #expect(metrics.contains("\nmillrace_tokens_accepted_total 2\n"))
            #expect(metrics.contains("\nmillrace_participants{kind=\"client\"} 2\n"))
            #expect(metrics.contains("\nmillrace_control_sessions 2\n"))
        }
    }

    @Test("USR-6, SES-5 an operator removes users and ends sessions; clients and webhooks are told in order")
    func operatorAndWebhooks() async throws {
        let receiver = try await WebhookReceiver(script: [500])
        try await withShop {
            $0.webhookURL = "http://127.0.0.1:\(receiver.port)/"
        } _: { relay, http in
            let (anna, host) = try await join(relay, "Anna", token: try await token("anna", role: "host"))
            let ticket = try await token("ben")
            let (ben, guest) = try await join(relay, "Ben", token: ticket)
            let path = "/v1/admin/sessions/lobby"
            let removed = try await http.request("DELETE", "\(path)/participants/\(try guest.get().connection)")
            #expect(removed.status == 204)
            #expect(try await ben.next(.disconnected) == .disconnected(Disconnected(reason: .removed)))
            let (_, again) = try await join(relay, "Ben", token: ticket)
            #expect(code(again) == .tokenRevoked)
            #expect(try await http.request("DELETE", path).status == 204)
            guard case .disconnected(let end) = try await anna.next(.disconnected) else { return }
            #expect(end.reason == .sessionEnded)
            #expect(try await http.request("GET", path).status == 404)

            let received = await receiver.taken(6)
            let events = try received.map { received in
                try #require(try JSONSerialization.jsonObject(with: Data(received.body)) as? [String: Any])
            }
            #expect(
                events.compactMap { $0["event"] as? String } == [
                    "sessionStarted", "participantJoined", "participantJoined", "participantLeft", "participantLeft",
                    "sessionEnded",
                ])
            #expect(events.compactMap { $0["number"] as? Int } == Array(1...6))
            #expect(events.compactMap { $0["reason"] as? String } == ["removed", "sessionEnded", "sessionEnded"])
            let session = try #require(events.first?["session"] as? [String: String])
            let id = try host.get().session.rawValue
            #expect(session == ["app": "shop", "name": "lobby", "id": id])
            #expect((events[1]["participant"] as? [String: Any])?["identity"] as? String == "anna")
        }
        try await receiver.close()
    }

    @Test("ISS-1 the operator reads a user's report") func issue() async throws {
        try await withShop { relay, http in
            let (anna, answer) = try await join(relay, "Anna", token: try await token("anna"))
            let issue = try await anna.request(ReportIssueRequest(note: "no sound")).get().issue
            let bundle = try await http.request("GET", "/v1/admin/issues/\(issue)")
            let connection = try answer.get().connection.rawValue
            #expect(bundle.status == 200 && bundle.text.contains(connection))
            let list = try await http.request("GET", "/v1/admin/issues").json
            let entry = try #require((list["issues"] as? [[String: Any]])?.first)
            #expect((entry["head"] as? [String: Any])?["note"] as? String == "no sound")
            #expect(try await http.request("GET", "/metrics").text.contains("\nmillrace_issues 1\n"))
        }
    }

    @Test("CON-6 an ordered drain sends clients the URL of another relay, and the relay ends when they have left")
    func drain() async throws {
        try await withShop({ $0.drainSeconds = 5 }) { relay, http in
            let (anna, _) = try await join(relay, "Anna", token: try await token("anna"))
            let order = try await http.request(
                "POST", "/v1/admin/drain", body: #"{"seconds":600,"url":"wss://b.example"}"#)
            #expect(order.status == 202)
            guard case .draining(let draining) = try await anna.next(.draining) else { return }
            #expect(draining.url == "wss://b.example" && draining.seconds == 600)
            // New WebSocket handshakes are refused.
            await #expect(throws: SocketClient.Refused.self) {
                _ = try await join(relay, "Ben", token: try await token("ben"))
            }
            #expect(try await anna.ask(LeaveRequest()) == nil)
            let took = try await ContinuousClock().measure { try await relay.wait() }
            #expect(took < .seconds(60))
        }
    }

    @Test("CON-6 an ordered drain is announced to clients that are only logged in, and does not wait for them")
    func drainOfMessages() async throws {
        try await withShop({ $0.storageDirectory = TemporaryFolder.shared.file("messages") }) { relay, http in
            let anna = try await SocketClient(port: relay.httpPort)
            let login = LoginRequest(token: try await token("anna"))
            #expect(try await anna.request(login).get().user == "anna")
            let order = try await http.request(
                "POST", "/v1/admin/drain", body: #"{"seconds":600,"url":"wss://b.example"}"#)
            #expect(order.status == 202)
            guard case .draining(let draining) = try await anna.next(.draining) else { return }
            #expect(draining.url == "wss://b.example" && draining.seconds == 600)
            #expect(try await anna.next(.disconnected) == .disconnected(Disconnected(reason: .relayShutdown)))
            #expect(try await anna.closing() == .init(code: 1001, reason: "relayShutdown"))
            let took = try await ContinuousClock().measure { try await relay.wait() }
            #expect(took < .seconds(60))
        }
    }

    @Test("the control protocol over TLS", .enabled(if: CertificateMaker.isThere, "openssl is not there"))
    func secure() async throws {
        let maker = CertificateMaker()
        try maker.write(name: "one")
        try await withShop {
            $0.httpTLSCertificate = maker.certificate
            $0.httpTLSKey = maker.key
        } _: { relay, _ in
            let (anna, answer) = try await join(
                relay, "Anna", token: try await token("anna"), certificate: maker.certificate)
            #expect(try answer.get().users.count == 1)
            // A connection keeps the certificate of its handshake.
            try maker.write(name: "two")
            #expect(try await anna.ask(PingRequest()) == nil)
        }
    }
}
