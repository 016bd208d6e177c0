import ControlServer
import Foundation
import MediaEngine
import MillraceTestKit
import SDP
import Testing

@Suite("WHIP (RFC 9725): publishing", .serialized)
struct WHIPEndpointTests {
    static let publishers = [
        "aiortc-publish", "chromium-publish", "chromium-simulcast", "firefox-publish", "firefox-simulcast",
        "gstreamer-publish",
    ]

    @Test("an offer is answered with 201, a matching answer and a resource", arguments: publishers)
    func publish(offer: String) async throws {
        try await withDoubledWebRTC { double, http, _ in
            let answer = try await http.publish("Team%20A", stream: "cam%2F1", offer: offer)
            #expect(answer.fields["content-type"] == "application/sdp")
            #expect(answer.fields["accept-patch"] == "application/trickle-ice-sdpfrag")
            #expect(answer.fields["cache-control"] == "no-store")
            #expect(answer.fields["access-control-allow-origin"] == "*")
            let exposed = try #require(answer.fields["access-control-expose-headers"])
            for name in ["Location", "ETag", "Link", "Retry-After", "Accept-Patch"] {
                #expect(exposed.contains(name))
            }
            #expect(answer.values("link").isEmpty)
            let id = try #require(double.state.withLock { $0.transports.keys.first })
            #expect(answer.fields["location"] == "/whip/team%20a/cam%2F1/\(id)")
            let offered = try Offer(parsing: RawHTTPClient.offer(offer).utf8)
            let answered = try Answer(parsing: answer.body, to: offered.description)
            #expect(answer.fields["etag"] == "\"\(answered.peer.credentials.ufrag)\"")
            #expect(answered.peer.isLite && answered.peer.setup == .passive)
            #expect(answered.tracks.map(\.direction) == [.recvonly, .recvonly])
            let request = try #require(double.state.withLock { $0.opened.first })
            #expect(request.direction == .publish && request.session == "team a" && request.stream == "cam/1")
            #expect(request.peer == offered.peer)
            #expect(try request.tracks == offered.receivable())
            #expect(try await http.request("GET", #require(answer.fields["location"])).status == 204)
        }
    }

    @Test("the path can name the stream, as for WHEP")
    func streamInPath() async throws {
        try await withDoubledWebRTC { double, http, _ in
            func publish(_ path: String) async throws -> RawHTTPResponse {
                try await http.request(
                    "POST", path, body: RawHTTPClient.offer("chromium-publish"), fields: RawHTTPClient.sdp)
            }
            let answer = try await publish("/whip/Demo/cam%2F1")
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.fields["location"]?.hasPrefix("/whip/demo/cam%2F1/") == true)
            #expect(double.state.withLock { $0.opened.first?.stream } == "cam/1")
            #expect(try await publish("/whip/demo/two?stream=two").status == 201)
            let different = try await publish("/whip/demo/three?stream=four")
            #expect(different.status == 422 && different.problemCode == "invalidField", "\(different.text)")
            #expect(try await publish("/whip/demo/%0a").problemCode == "invalidStreamName")
            #expect(double.state.withLock { $0.transports.count } == 2)
        }
    }

    @Test func severalPublishersShareASession() async throws {
        try await withDoubledWebRTC { double, http, _ in
            let first = try await http.publish()
            let second = try await http.publish()
            let third = try await http.publish(stream: "screen")
            #expect(Set([first, second, third].map { $0.fields["location"] }).count == 3)
            let again = try await http.request(
                "POST", "/whip/demo?stream=screen", body: RawHTTPClient.offer("firefox-publish"),
                fields: RawHTTPClient.sdp)
            #expect(again.status == 409 && again.problemCode == "streamExists")
            #expect(again.fields["access-control-allow-origin"] == "*")
            #expect(double.state.withLock { $0.transports.count } == 3)
        }
    }

    @Test("a publisher whose session ends while its transport is created gets 410")
    func endedMeanwhile() async throws {
        try await withDoubledWebRTC { double, http, _ in
            let (gate, opening) = AsyncStream<Void>.makeStream()
            double.state.withLock { $0.openGate = gate }
            let offer = try RawHTTPClient.offer("chromium-publish")
            async let answer = http.request("POST", "/whip/demo?stream=cam", body: offer, fields: RawHTTPClient.sdp)
            try await eventually("its transport is asked for") { double.state.withLock { !$0.opened.isEmpty } }
            #expect(try await http.request("DELETE", "/v1/admin/sessions/demo").status == 204)
            opening.finish()
            let refused = try await answer
            #expect(refused.status == 410 && refused.problemCode == "sessionEnded", "\(refused.text)")
            // The refused publisher leaves no state.
            double.state.withLock { $0.openGate = nil }
            _ = double.state.withLock { $0.transports.keys.first }.map { double.drop($0) }
            _ = try await http.publish(stream: "cam")
        }
    }

    @Test(
        "the body must be application/sdp",
        arguments: ["application/json", "text/plain", "", "application/sdpx", ";"])
    func mediaType(type: String) async throws {
        try await withDoubledWebRTC { _, http, _ in
            let answer = try await http.request(
                "POST", "/whip/demo", body: RawHTTPClient.offer("chromium-publish"), fields: ["Content-Type": type])
            #expect(answer.status == 415 && answer.problemCode == "unsupportedMediaType")
            #expect(answer.fields["accept-post"] == "application/sdp")
            #expect(answer.fields["access-control-allow-origin"] == "*")
        }
    }

    @Test(
        "the answer is application/sdp, which the client must accept",
        arguments: [
            ("application/sdp", 201), ("application/*;q=0.1", 201), ("*/*", 201), ("text/html, */*;q=0.8", 201),
            ("application/json", 406), ("application/sdp;q=0, */*", 406), ("text/*", 406),
        ])
    func accept(field: String, status: Int) async throws {
        try await withDoubledWebRTC { _, http, _ in
            let answer = try await http.request(
                "POST", "/whip/demo", body: RawHTTPClient.offer("chromium-publish"),
                fields: ["Content-Type": "Application/SDP; charset=utf-8", "Accept": field])
            #expect(answer.status == status)
            if status == 406 { #expect(answer.problemCode == "notAcceptable") }
        }
    }

    @Test(
        "an invalid session description is 400",
        arguments: [
            "", "hello", "\u{0}", "v=0", "v=0\r\n", "v=1\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n",
            "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n", "{\"sdp\":\"v=0\"}",
            "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=audio nine UDP/TLS/RTP/SAVPF 111\r\n",
            "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"
                + String(repeating: "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n", count: 101),
        ])
    func malformed(offer: String) async throws {
        try await withDoubledWebRTC { double, http, _ in
            let answer = try await http.request("POST", "/whip/demo", body: offer, fields: RawHTTPClient.sdp)
            #expect(answer.status == 400 && answer.problemCode == "invalidSDP", "\(answer.text)")
            #expect(answer.fields["access-control-allow-origin"] == "*")
            #expect(double.state.withLock { $0.attempts } == 0)
        }
    }

    @Test(
        "an offer that cannot be accepted is 422 with the reason",
        arguments: [
            ("a subscriber's offer", "sendonly"), ("ICE-lite", "ice-lite"), ("no fingerprint", "fingerprint"),
            ("no credentials", "ice-ufrag"), ("two videos", "one track of video"),
            ("no known codec", "no codec for video"),
        ])
    func unusable(what: String, reason: String) async throws {
        let offer = try RawHTTPClient.offer("chromium-publish")
        let changed: String
        switch what {
        case "a subscriber's offer": changed = try RawHTTPClient.offer("chromium-view")
        case "ICE-lite": changed = offer.replacing("t=0 0\r\n", with: "t=0 0\r\na=ice-lite\r\n")
        case "no fingerprint": changed = offer.replacing("a=fingerprint:", with: "a=finger:")
        case "no credentials": changed = offer.replacing("a=ice-ufrag:", with: "a=frag:")
        case "two videos":
            let video = try #require(offer.range(of: "m=video"))
            let second = offer[video.lowerBound...].replacing("a=mid:1", with: "a=mid:2")
            changed = offer.replacing("BUNDLE 0 1", with: "BUNDLE 0 1 2") + second
        default: changed = offer.replacing(#/rtpmap:(\d+) (?:VP8|H264|VP9|AV1)\//#) { "rtpmap:\($0.output.1) VP7/" }
        }
        try #require(changed != offer)
        try await withDoubledWebRTC { double, http, _ in
            let answer = try await http.request("POST", "/whip/demo", body: changed, fields: RawHTTPClient.sdp)
            #expect(answer.status == 422 && answer.problemCode == "unusableSDP", "\(answer.text)")
            #expect(try (answer.json["detail"] as? String)?.contains(reason) == true, "\(answer.text)")
            #expect(double.state.withLock { $0.attempts } == 0)
        }
    }

    @Test func anOfferHasALimit() async throws {
        try await withDoubledWebRTC { _, http, _ in
            let offer = try RawHTTPClient.offer("chromium-publish")
            let most = offer + String(repeating: "a=x\r\n", count: (65_536 - offer.utf8.count) / 5)
            #expect(try await http.request("POST", "/whip/a", body: most, fields: RawHTTPClient.sdp).status == 201)
            let large = offer + String(repeating: "a=x\r\n", count: 13_000)
            let declared = try await http.request("POST", "/whip/b", body: large, fields: RawHTTPClient.sdp)
            #expect(declared.status == 413 && declared.problemCode == "bodyTooLarge")
            #expect(try declared.json["limit"] as? String == "limit.sdpBytes")
            let chunked = try await http.exchange(
                "POST /whip/b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/sdp\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n\(String(large.utf8.count, radix: 16))\r\n\(large)\r\n0\r\n\r\n"
            )
            #expect(chunked.status == 413 && chunked.problemCode == "bodyTooLarge")
        }
    }

    @Test func damagedOffersAreAnsweredToo() async throws {
        try await withDoubledWebRTC { _, http, _ in
            let corpus = try Self.publishers.map { Array(try RawHTTPClient.offer($0).utf8) }
            let fuzzer = MutationFuzzer(corpus: corpus, seed: 42, capacity: 8_192)
            var bodies: [String] = []
            fuzzer.run(count: 200) { bodies.append(String(decoding: $0, as: UTF8.self)) }
            for (number, body) in bodies.enumerated() {
                let answer = try await http.request(
                    "POST", "/whip/s\(number)", body: body, fields: RawHTTPClient.sdp)
                #expect([201, 400, 422].contains(answer.status), "\(number): \(answer.status)")
            }
        }
    }

    @Test(
        "invalid session and stream names are refused",
        arguments: [
            ("/whip/%00", "invalidSessionName"), ("/whip/" + String(repeating: "x", count: 151), "invalidSessionName"),
            ("/whip/demo?stream=", "invalidStreamName"), ("/whip/demo?stream=%0a", "invalidStreamName"),
        ])
    func names(path: String, code: String) async throws {
        try await withDoubledWebRTC { _, http, _ in
            let answer = try await http.request(
                "POST", path, body: RawHTTPClient.offer("chromium-publish"), fields: RawHTTPClient.sdp)
            #expect(answer.status == 400 && answer.problemCode == code)
        }
    }

    @Test("each error of the engine has its status and code")
    func refusals() async throws {
        try await withDoubledWebRTC { double, http, _ in
            for (error, status, code, retry) in [
                (EngineError.limitReached(name: "sessions", limit: 1), 503, "limitReached", true),
                (.stopped, 503, "draining", true), (.ssrcInUse(7), 409, "ssrcInUse", false),
                (.invalidRequest(field: "tracks", reason: "none"), 422, "invalidField", false),
                (.systemCall(name: "socket", errno: 1), 500, "internalError", false),
            ] {
                double.state.withLock { $0.failure = error }
                let answer = try await http.request(
                    "POST", "/whip/demo", body: RawHTTPClient.offer("chromium-publish"), fields: RawHTTPClient.sdp)
                #expect(answer.status == status && answer.problemCode == code)
                #expect((answer.fields["retry-after"] != nil) == retry)
                #expect(answer.fields["access-control-allow-origin"] == "*")
            }
        }
    }

    @Test func aRelayThatDrainsTakesNobodyNew() async throws {
        try await withDoubledWebRTC { _, http, bodies in
            let there = try await http.publish()
            bodies.beginDraining()
            for path in ["/whip/demo", "/whep/demo", "/whep/demo?wait=5"] {
                let answer = try await http.request(
                    "POST", path, body: RawHTTPClient.offer("chromium-publish"), fields: RawHTTPClient.sdp)
                #expect(answer.status == 503 && answer.problemCode == "draining")
                #expect(answer.fields["retry-after"] != nil)
            }
            // Existing resources can still be deleted.
            #expect(try await http.request("DELETE", #require(there.fields["location"])).status == 200)
        }
    }

    @Test func everyMethodIsAnswered() async throws {
        try await withDoubledWebRTC { _, http, _ in
            let resource = try #require(try await http.publish().fields["location"])
            // GET and HEAD succeed without content (RFC 9725 section 4.1).
            for path in ["/whip/demo", "/whip/demo/cam", resource] {
                for method in ["GET", "HEAD"] {
                    let answer = try await http.request(method, path)
                    #expect(answer.status == 204 && answer.body.isEmpty, "\(method) \(path)")
                }
            }
            for (method, path) in [
                ("PUT", "/whip/demo"), ("PATCH", "/whip/demo"), ("DELETE", "/whip/demo"), ("PUT", resource),
                ("POST", resource),
            ] {
                let answer = try await http.request(method, path, body: "v=0", fields: RawHTTPClient.sdp)
                #expect(answer.status == 405 && answer.problemCode == "methodNotAllowed", "\(method) \(path)")
                #expect(answer.fields["allow"]?.contains("OPTIONS") == true)
                #expect(answer.fields["access-control-allow-origin"] == "*")
            }
            #expect(try await http.request("POST", "/whip", body: "v=0", fields: RawHTTPClient.sdp).status == 404)
        }
    }

    @Test func preflightAndServers() async throws {
        let servers = [
            ICEServer(url: "stun:stun.example.net", username: "u", credential: "p"),
            ICEServer(url: "turn:turn.example.net:3478?transport=udp", username: "u", credential: "p"),
        ].compactMap { $0 }
        let links = [
            "<stun:stun.example.net>; rel=\"ice-server\"",
            "<turn:turn.example.net:3478?transport=udp>; rel=\"ice-server\"; username=\"u\"; credential=\"p\"; credential-type=\"password\"",
        ]
        try await withDoubledWebRTC({
            $0.iceServers = servers
            $0.publishToken = "let-me-publish"
        }) { _, http, _ in
            let preflight = try await http.request(
                "OPTIONS", "/whip/demo",
                fields: [
                    "Origin": "https://example.org", "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "authorization,content-type",
                ])
            #expect(preflight.status == 200 && preflight.body.isEmpty)
            #expect(preflight.fields["access-control-allow-origin"] == "*")
            #expect(preflight.fields["access-control-allow-methods"] == "GET, HEAD, POST, OPTIONS")
            let allowed = try #require(preflight.fields["access-control-allow-headers"])
            for name in ["Content-Type", "Authorization", "If-Match"] { #expect(allowed.contains(name)) }
            #expect(preflight.fields["accept-post"] == "application/sdp")
            #expect(preflight.values("link").isEmpty)

            let bearer = ["Authorization": "Bearer let-me-publish"]
            #expect(try await http.request("OPTIONS", "/whip/demo").values("link").isEmpty)
            #expect(try await http.request("OPTIONS", "/whip/demo", fields: bearer).values("link") == links)
            let published = try await http.publish(fields: bearer)
            #expect(published.values("link") == links)
            let resource = try #require(published.fields["location"])
            let options = try await http.request("OPTIONS", resource)
            #expect(options.status == 200)
            #expect(options.fields["accept-patch"] == "application/trickle-ice-sdpfrag")
            #expect(options.fields["access-control-allow-methods"]?.contains("PATCH, DELETE") == true)
        }
    }

    @Test func publishingAndViewingHaveTokensOfTheirOwn() async throws {
        try await withDoubledWebRTC({
            $0.publishToken = "let-me-publish"
            $0.viewToken = "let-me-view"
            $0.wrongTokensPerMinute = 1_000
        }) { _, http, _ in
            let publisher = ["Authorization": "Bearer let-me-publish"]
            let subscriber = ["Authorization": "bearer let-me-view"]
            let whip = try #require(try await http.publish(stream: "cam", fields: publisher).fields["location"])
            let whep = try #require(try await http.view(fields: subscriber).fields["location"])
            for (path, wrong) in [
                ("/whip/demo", subscriber), (whip, subscriber), ("/whep/demo", publisher), (whep, publisher),
            ] {
                for method in ["POST", "GET", "PUT", "PATCH", "DELETE"] {
                    for fields in [[:], wrong, ["Authorization": "Basic bGV0LW1l"]] {
                        let answer = try await http.request(method, path, body: "", fields: fields)
                        #expect(answer.status == 401 && answer.problemCode == "unauthorized", "\(method) \(path)")
                        #expect(answer.fields["www-authenticate"]?.hasPrefix("Bearer") == true)
                        #expect(answer.fields["access-control-allow-origin"] == "*")
                    }
                }
            }
            #expect(try await http.request("POST", whep + "/layer", body: "{}").status == 401)
            #expect(try await http.request("POST", whep + "/layer", body: "{}", fields: subscriber).status == 204)
            #expect(try await http.request("DELETE", whep, fields: subscriber).status == 200)
            #expect(try await http.request("DELETE", whip, fields: publisher).status == 200)
        }
    }
}
