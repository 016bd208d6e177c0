import ControlServer
import Signaling
import Testing

@Suite("Limits of tokens, users and addresses")
struct ResourceLimitTests {
    private func bearer(_ token: TestToken) -> [String: String] { ["Authorization": "Bearer \(token.text)"] }

    /// Publishes a stream that is available to subscribers at once.
    private func publishPlain(_ relay: ConnectFixture, stream: String = "cam", ssrc: Int = 1_001) async throws {
        let body = #"{"direction":"publish","stream":"\#(stream)","audio":{"ssrc":\#(ssrc),"payloadType":111}}"#
        let answer = try await relay.http.request("POST", "/v1/sessions/demo/plain", body: body)
        try #require(answer.status == 201, "\(answer.text)")
    }

    @Test("A token has a limited number of participants, and another one may join after a leave")
    func participants() async throws {
        try await withConnect({ $0.connect.resources.token.participants = 3 }) { relay in
            let token = TestToken.subscriber
            var clients: [SocketClient] = []
            for _ in 0..<3 { clients.append(try await relay.join("Ada", token: token).0) }
            let client = try await relay.connect()
            let error = try await client.refusal(token: token)
            #expect(error?.code == .limitReached && error?.limit == "limit.participantsPerToken")
            #expect(relay.liveSessions.resources.refusals == ["limit.participantsPerToken": 1])
            // Another token is not affected.
            let (ben, _) = try await relay.join("Ben")
            #expect(try await clients[0].ask(LeaveRequest()) == nil)
            _ = try await client.join("Ada", token: token)
            // A lost client counts until its grace time ends: alternating joins and lost connections must not exceed the limit.
            await clients[1].cut()
            let last = try await relay.connect()
            #expect(try await last.refusal(token: token)?.limit == "limit.participantsPerToken")
            for other in [clients[2], client, ben] { #expect(try await other.ask(LeaveRequest()) == nil) }
            await relay.liveSessions.endAll()
            try await eventually("nothing is held") { relay.liveSessions.resources.isEmpty }
        }
    }

    @Test("A user has a limited number of participants across its tokens; so has an address")
    func usersAndAddresses() async throws {
        try await withConnect({
            $0.connect.resources.user.participants = 2
            $0.connect.resources.address.participants = 4
        }) { relay in
            for _ in 0..<2 { _ = try await relay.join("Ada", token: TestToken(identity: "ada")) }
            let client = try await relay.connect()
            let ada = try await client.refusal(token: TestToken(identity: "ada"))
            #expect(ada?.code == .limitReached && ada?.limit == "limit.participantsPerUser")
            for _ in 0..<2 { _ = try await relay.join("Ben", token: TestToken(identity: nil)) }
            let eve = try await client.refusal(token: TestToken(identity: "eve"))
            #expect(eve?.code == .limitReached && eve?.limit == "limit.participantsPerAddress")
        }
    }

    @Test("Connections that only log in count as participants of their token; a join on one does not count twice")
    func logins() async throws {
        try await withMessages(MessageHubConfiguration(), { $0.connect.resources.token.participants = 2 }) { relay in
            let token = TestToken(identity: "ada")
            func login() async throws -> (SocketClient, SignalingError?) {
                let client = try await relay.connect()
                return (client, try await client.request(LoginRequest(token: token.text)).failure)
            }
            let (first, _) = try await login()
            let (second, refusal) = try await login()
            #expect(refusal == nil)
            let third = try await login().1
            #expect(third?.code == .limitReached && third?.limit == "limit.participantsPerToken")
            await second.cut()
            try await eventually("another user may log in") { try await login().1 == nil }
            await first.cut()
        }
    }

    @Test("A token has a limited number of transports by WHIP and WHEP, and another one is accepted after DELETE")
    func transports() async throws {
        try await withConnect({ $0.connect.resources.token.transports = 3 }) { relay in
            try await publishPlain(relay)
            let authorization = bearer(TestToken.subscriber)
            var resources: [String] = []
            for _ in 0..<3 {
                let answer = try await relay.http.view(fields: authorization)
                try #require(answer.status == 201, "\(answer.text)")
                resources.append(try #require(answer.fields["location"]))
            }
            let refused = try await relay.http.view(fields: authorization)
            #expect(refused.status == 503 && refused.problemCode == "limitReached")
            #expect(try refused.json["limit"] as? String == "limit.transportsPerToken")
            #expect(relay.server.statistics.values.limits["limit.transportsPerToken"] == 1)
            #expect(try await relay.http.request("DELETE", resources[0], fields: authorization).status == 200)
            #expect(try await relay.http.view(fields: authorization).status == 201)
            await relay.liveSessions.endAll()
            try await eventually("nothing is held") { relay.liveSessions.resources.isEmpty }
        }
    }

    @Test("Publish and subscribe peer connections of a client count as transports of its token")
    func peers() async throws {
        try await withConnect({ $0.connect.resources.token.transports = 1 }) { relay in
            let token = TestToken()
            let (ada, _) = try await relay.join("Ada", token: token)
            let (eve, _) = try await relay.join("Eve", token: token)
            func publish(_ client: SocketClient) async throws -> Result<PublishRequest.Answer, SignalingError> {
                let request = PublishRequest(
                    sdp: try RawHTTPClient.offer("chromium-publish"),
                    streams: [PublishRequest.Stream(name: "camera", audioMid: "0", videoMid: "1")])
                return try await client.request(request)
            }
            _ = try await publish(ada).get()
            let refused = try await publish(eve).failure
            #expect(refused?.code == .limitReached && refused?.limit == "limit.transportsPerToken")
            #expect(try await ada.ask(LeaveRequest()) == nil)
            _ = try await publish(eve).get()
        }
    }

    @Test("Clients that do not read are closed when the queues of their token are full", .timeLimit(.minutes(2)))
    func queuedBytes() async throws {
        try await withConnect({ $0.connect.resources.token.queuedBytes = 2 << 20 }) { relay in
            let (ada, _) = try await relay.join("Ada")
            let token = TestToken.subscriber
            var slow: [SocketClient] = []
            for _ in 0..<4 { slow.append(try await relay.join("Slow", token: token).0) }
            for client in slow { client.pause() }
            let data = String(repeating: "x", count: 8_000)
            var sent = 0
            // A single queue may have 8 MiB.
            while relay.counts.disconnects[.slowConsumer, default: 0] == 0, sent < 20_000 {
                #expect(try await ada.ask(SignalRequest(type: "n", data: data)) == nil)
                sent += 1
            }
            #expect(relay.liveSessions.resources.refusals["limit.queuedBytesPerToken", default: 0] > 0)
            #expect(relay.counts.disconnects[.slowConsumer, default: 0] > 0)
            #expect(try await ada.ask(PingRequest()) == nil)
            for client in slow { await client.cut() }
            await relay.liveSessions.endAll()
            try await eventually("nothing is held") { relay.liveSessions.resources.isEmpty }
        }
    }

    @Test("A class of 50 joins, publishes and subscribes from one address", .timeLimit(.minutes(2)))
    func classOfFifty() async throws {
        try await withConnect { relay in
            for number in 0..<50 {
                // A stream for each, as a silent publisher is closed after a minute.
                try await publishPlain(relay, stream: "cam\(number)", ssrc: 1_001 + number)
                let token = TestToken(identity: "pupil \(number)")
                _ = try await relay.join("Pupil \(number)", token: token)
                _ = try await relay.http.publish(stream: "pupil\(number)", fields: bearer(token))
                #expect(try await relay.http.view("demo/cam\(number)", fields: bearer(token)).status == 201)
            }
            #expect(await relay.liveSessions.gauges().users[.client] == 50)
            #expect(relay.liveSessions.resources.refusals.isEmpty)
        }
    }
}
