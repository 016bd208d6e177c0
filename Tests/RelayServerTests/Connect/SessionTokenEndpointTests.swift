import Signaling
import Testing

@Suite("Session tokens at WHIP and WHEP")
struct SessionTokenEndpointTests {
    private func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

    private func publish(_ relay: ConnectFixture, _ fields: [String: String]) async throws -> RawHTTPResponse {
        try await relay.http.request(
            "POST", "/whip/Demo?stream=cam", body: RawHTTPClient.offer("chromium-publish"),
            fields: RawHTTPClient.sdp.merging(fields) { $1 })
    }

    @Test("SES-3, TOK-3 a session token selects the app and the permissions; the endpoint's static token still works")
    func tokens() async throws {
        try await withConnect({
            $0.publishToken = "static"
            // The tokens of this test are no JWTs, so that each counts as a guess at the static token.
            $0.wrongTokensPerMinute = 1_000
        }) { relay in
            let (ada, _) = try await relay.join("Ada", session: "demo", token: TestToken(app: "one"))
            #expect(try await publish(relay, [:]).status == 401)
            #expect(try await publish(relay, bearer("guess")).status == 401)
            let expired = try await publish(relay, bearer(TestToken(refusal: .tokenExpired).text))
            #expect(expired.status == 401 && expired.problemCode == "tokenExpired")
            let topic = try await publish(relay, bearer(TestToken(topic: "other").text))
            #expect(topic.status == 403 && topic.problemCode == "tokenTopicMismatch")
            let refused = try await publish(relay, bearer(TestToken.subscriber.text))
            #expect(refused.status == 403 && refused.problemCode == "notPermitted")

            let one = bearer(TestToken(app: "one", identity: "encoder 7").text)
            let answer = try await publish(relay, one)
            #expect(answer.status == 201, "\(answer.text)")
            guard case .userJoined(let joined) = try await ada.next(.userJoined) else { return }
            #expect(joined.user.kind == .publisher && joined.user.identity == "encoder 7")
            // The same name in another app's session, and in the default app's.
            #expect(try await publish(relay, bearer(TestToken(app: "two").text)).status == 201)
            #expect(try await publish(relay, bearer("static")).status == 201)
            #expect(try await publish(relay, bearer(TestToken(app: "one").text)).problemCode == "streamExists")
            #expect(await relay.liveSessions.gauges().sessions == 3)

            let resource = try #require(answer.fields["location"])
            #expect(try await relay.http.request("GET", resource, fields: one).status == 204)
            for other in [bearer(TestToken(app: "two").text), bearer("static")] {
                for method in ["GET", "DELETE"] {
                    let answer = try await relay.http.request(method, resource, fields: other)
                    #expect(answer.status == 404, "\(answer.text)")
                }
            }
            #expect(try await relay.http.request("DELETE", resource, fields: one).status == 200)
            guard case .userLeft(let left) = try await ada.next(.userLeft) else { return }
            #expect(left.user == joined.user.id && left.reason == .left)
        }
    }

    @Test("a token in the URL is accepted if configured, and is part of the resource's URL")
    func urls() async throws {
        let offer = try RawHTTPClient.offer("chromium-publish")
        let token = TestToken(identity: "encoder").text
        let path = "/whip/demo?stream=cam&access_token=" + token.replacing("=", with: "%3D").replacing("+", with: "%2B")
        for isAllowed in [false, true] {
            try await withConnect({
                $0.publishToken = "static token"
                $0.takesTokensInURLs = isAllowed
            }) { relay in
                let answer = try await relay.http.request("POST", path, body: offer, fields: RawHTTPClient.sdp)
                #expect(answer.status == (isAllowed ? 201 : 401), "\(answer.text)")
                guard isAllowed else { return }
                let resource = try #require(answer.fields["location"])
                #expect(try await relay.http.request("DELETE", resource).status == 200)
                let other = try await relay.http.request(
                    "POST", "/whip/demo?access_token=static%20token", body: offer, fields: RawHTTPClient.sdp)
                #expect(
                    other.status == 201 && other.fields["location"]?.hasSuffix("?access_token=static%20token") == true)
                let wrong = try await relay.http.request(
                    "POST", "/whip/demo?access_token=guess", body: offer, fields: RawHTTPClient.sdp)
                #expect(wrong.status == 401)
                // A header field has priority, and then the resource's URL has no token.
                let fields = RawHTTPClient.sdp.merging(bearer("static token")) { $1 }
                let both = try await relay.http.request(
                    "POST", "/whip/demo?access_token=guess", body: offer, fields: fields)
                #expect(both.status == 201 && both.fields["location"]?.contains("access_token") == false)
            }
        }
    }

    @Test func anOpenDoorTakesBoth() async throws {
        try await withConnect { relay in
            let attempts: [(fields: [String: String], status: Int)] = [
                ([:], 201), (bearer(TestToken(app: "one").text), 201),
                (bearer(TestToken(refusal: .tokenBadSignature).text), 401),
            ]
            for attempt in attempts {
                let answer = try await publish(relay, attempt.fields)
                #expect(answer.status == attempt.status, "\(answer.text)")
            }
        }
    }
}
