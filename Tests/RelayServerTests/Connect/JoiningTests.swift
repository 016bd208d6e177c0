import Conference
import Foundation
import MediaBase
import MediaEngine
import NIOCore
import Signaling
import Testing

@testable import ControlServer

@Suite("Joining over the WebSocket")
struct JoiningTests {
    @Test("SES-1, SES-7, CON-2 the first join creates a session, later joins learn of all users")
    func joinAndLeave() async throws {
        try await withConnect { relay in
            let (ada, first) = try await relay.join("Ada", session: "Team A", token: .host)
            #expect(first.sessionName == "team a" && first.users.map(\.name) == ["Ada"])
            #expect(first.users[0].id == first.connection && first.users[0].role == .host)
            #expect(first.capabilities.canHost && first.graceSeconds == 30 && first.pingInterval == 10_000)
            let (ben, second) = try await relay.join("", session: "TEAM A")
            #expect(second.session == first.session && second.connection != first.connection)
            #expect(second.users.map(\.name) == ["Ada", "null"] && second.resumeToken != first.resumeToken)
            #expect(!second.isMuteForced && !second.isShareLocked && second.streams.isEmpty)
            guard case .userJoined(let joined) = try await ada.next(.userJoined) else { return }
            #expect(joined.user == second.users[1])

            #expect(try await ben.ask(LeaveRequest()) == nil)
            #expect(try await ben.closing() == .init(code: 1000, reason: "left"))
            #expect(ben.events.map(\.event) == [.disconnected(Disconnected(reason: .left))])
            let left = try await ada.next(.userLeft)
            #expect(left == .userLeft(UserLeft(user: second.connection, reason: .left)))
            // SES-5: the last leave ends the session, and its name is free for another session.
            #expect(try await ada.ask(LeaveRequest()) == nil)
            try await eventually("the session ends") { await relay.liveSessions.gauges().sessions == 0 }
            let (_, again) = try await relay.join("Ada", session: "team a")
            #expect(again.session != first.session)
        }
    }

    @Test("TOK-2 each kind of broken token has its error code, and the connection may try again")
    func tokens() async throws {
        try await withConnect { relay in
            let client = try await relay.connect()
            #expect(try await client.refusal(token: nil)?.code == .tokenMissing)
            let codes: [ErrorCode] = [
                .tokenMalformed, .tokenExpired, .tokenNotYetValid, .tokenBadSignature, .tokenAlgorithm,
                .tokenUnknownApp, .tokenTopicMismatch,
            ]
            for code in codes {
                #expect(try await client.refusal(token: TestToken(refusal: code))?.code == code)
            }
            #expect(try await client.refusal(token: TestToken(topic: "other"))?.code == .tokenTopicMismatch)
            #expect(try await client.refusal(version: 2)?.code == .unsupportedVersion)
            for name in ["", String(repeating: "x", count: 151), "a\u{1F}b"] {
                let error = try await client.refusal(joining: name)
                #expect(error?.code == .invalidSessionName && error?.field == "session")
            }
            #expect(await relay.liveSessions.gauges().sessions == 0)
            let answer = try await client.join("Ada")
            #expect(answer.users.count == 1)
            #expect(try await client.refusal()?.code == .alreadyJoined)
            let counts = relay.counts
            #expect(counts.refusals[.tokenExpired] == 1 && counts.joins == 1)
        }
    }

    @Test func tokensComeInThreeWays() async throws {
        try await withConnect { relay in
            let token = TestToken(identity: "42", data: "x=1")
            let header = try await relay.connect(token: token.text)
            #expect(try await header.join("A", token: nil).users[0].identity == "42")
            let query = token.text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let url = try await relay.connect(path: "/v1/connect?x=y&token=\(query)")
            #expect(try await url.join("B", token: nil).users[1].data == "x=1")
            // The token in the join message has priority over the token in the URL.
            let both = try await relay.connect(token: TestToken(refusal: .tokenExpired).text)
            #expect(try await both.join("C", token: token).users.count == 3)
        }
    }

    @Test("SES-4 the first join sets the password, later joins need it and may try again on the same connection")
    func passwords() async throws {
        try await withConnect { relay in
            let client = try await relay.connect()
            for password in ["12345678901", "tab\t", "é"] {
                #expect(try await client.refusal(password: password)?.code == .passwordInvalid)
            }
            _ = try await relay.join("Ada", password: "open se-sa")
            #expect(try await client.refusal()?.code == .passwordNeeded)
            let token = TestToken()
            for _ in 0..<3 {
                #expect(try await client.refusal(token: token, password: "wrong")?.code == .passwordWrong)
            }
            #expect(try await client.join("Ben", password: "open se-sa").users.count == 2)

            let guesser = try await relay.connect()
            for _ in 0..<2 {
                #expect(try await guesser.refusal(token: token, password: "guess")?.code == .passwordWrong)
            }
            let limited = try await guesser.refusal(token: token, password: "open se-sa")
            #expect(limited?.code == .rateLimited && limited?.retryAfter ?? 0 > 0)
            // A cancelled join leaves no trace.
            #expect(try await guesser.ask(LeaveRequest()) == nil)
            #expect(try await guesser.closing().code == 1000)
            #expect(await relay.liveSessions.gauges().users[.client] == 2)
        }
    }

    @Test("SES-3 sessions with the same name in two apps are separate")
    func apps() async throws {
        try await withConnect { relay in
            let (one, first) = try await relay.join("Ada", token: TestToken(app: "one"))
            let (_, second) = try await relay.join("Ben", token: TestToken(app: "two"))
            #expect(first.session != second.session && second.users.count == 1)
            let signal = SignalRequest(type: "x", to: second.connection)
            #expect(try await one.ask(signal)?.code == .unknownUser)
            #expect(one.events.isEmpty)
        }
    }

    @Test func limitsAreNamed() async throws {
        try await withConnect({
            $0.connect.conference.participants = 1
            $0.connect.directory.sessions = 2
            $0.connect.directory.connections = 2
        }) { relay in
            _ = try await relay.join("Ada", session: "a")
            let client = try await relay.connect()
            let full = try await client.refusal(joining: "a")
            #expect(full?.code == .limitReached && full?.limit == "limit.participants")
            _ = try await relay.join("Ben", session: "b")
            let sessions = try await client.refusal(joining: "c")
            #expect(sessions?.code == .limitReached && sessions?.limit == "limit.sessions")
            let connections = try await client.refusal(joining: "a")
            #expect(connections?.code == .limitReached && connections?.limit == "limit.connections")
            #expect(await relay.liveSessions.gauges().sessions == 2)
        }
    }

    @Test("CON-6 a drain is announced to all clients, refuses joins, and ends with relayShutdown")
    func drain() async throws {
        try await withConnect { relay in
            let (ada, _) = try await relay.join("Ada")
            let waiting = try await relay.connect()
            await relay.liveSessions.announceDrain(seconds: 7, url: "wss://other.example")
            #expect(try await ada.next(.draining) == .draining(Draining(seconds: 7, url: "wss://other.example")))
            #expect(try await waiting.refusal(joining: "new")?.code == .draining)
            #expect(try await waiting.refusal()?.code == .draining)
            #expect(try await ada.ask(PingRequest()) == nil)
            await relay.liveSessions.endAll()
            #expect(try await ada.closing() == .init(code: 1001, reason: "relayShutdown"))
            #expect(ada.events.last?.event == .disconnected(Disconnected(reason: .relayShutdown)))
        }
    }

    @Test("An answer of up to 16 MiB is sent unchanged, a larger one is messageTooLarge")
    func largestAnswer() throws {
        struct Text: Hashable, Sendable, Codable { var text: String }
        let limit = SignalingProtocol.maximumRelayMessageBytes
        let frame = MessageCodec.answer(7, .success(Text(text: ""))).readableBytes
        let fits = MessageCodec.answer(7, .success(Text(text: String(repeating: "x", count: limit - frame))))
        #expect(fits.readableBytes == limit)
        let larger = MessageCodec.answer(7, .success(Text(text: String(repeating: "x", count: limit - frame + 1))))
        let answer = try JSONDecoder().decode(ResultMessage<Text>.self, from: Data(larger.readableBytesView))
        #expect(answer.id == 7)
        guard case .failure(let error) = answer.result else {
            Issue.record("the answer has \(larger.readableBytes) bytes")
            return
        }
        #expect(error.code == .messageTooLarge)
    }

    @Test("A join whose answer would exceed 16 MiB is refused and adds no user")
    func tooLargeToJoin() async throws {
        try await withConnect { relay in
            let key = try SessionKey(app: "app", name: "demo")
            // Publishers without signalling, with far more connection data than a token can have.
            let token = VerifiedToken(
                app: "app", session: "demo", data: String(repeating: "x", count: 2 << 20),
                capabilities: Capabilities(canPublish: true), expiresAt: .max, fingerprint: "encoders")
            let visitor = Visitor(key: key, token: token, isTrusted: false, password: nil, address: "192.0.2.1")
            // Their transports exist for the rules only, because no media is sent.
            func publish() async throws {
                _ = try await relay.liveSessions.publish(visitor, stream: nil, kinds: [.audio], isPlain: true) {
                    (stream, _) async throws(EngineError) in
                    OpenedTransport(answer: stream, id: TransportID(rawValue: stream))
                }
            }
            for _ in 0..<7 {
                try await publish()
            }
            let (ada, joined) = try await relay.join("Ada")
            #expect(joined.users.count == 8)
            try await publish()
            let ben = try await relay.connect()
            #expect(try await ben.refusal()?.code == .messageTooLarge)
            let liveSession = try #require(relay.liveSessions.liveSession(key))
            #expect(await liveSession.read { $0.users.count } == 9)
            #expect(try await ada.ask(PingRequest()) == nil)
            #expect(try await ben.ask(PingRequest()) == nil, "it can try again")
        }
    }
}
