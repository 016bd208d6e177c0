import ControlServer
import Foundation
import MediaBase
import MediaEngine
import SDP
import Testing

@Suite("WHEP: subscribing", .serialized)
struct WHEPEndpointTests {
    static let subscribers = ["aiortc-view", "chromium-data", "chromium-view", "firefox-data", "firefox-view"]

    @Test("an answer has the tracks of the stream", arguments: subscribers)
    func view(offer: String) async throws {
        try await withDoubledWebRTC { double, http, _ in
            _ = try await http.publish(stream: "old")
            _ = try await http.publish(stream: "My%20cam")
            let answer = try await http.view(offer: offer)
            try #require(answer.status == 201, "\(answer.text)")
            #expect(answer.fields["content-type"] == "application/sdp")
            let location = try #require(answer.fields["location"])
            #expect(location.hasPrefix("/whep/demo/My%20cam/"))
            let media = try SessionDescription(parsing: RawHTTPClient.offer(offer).utf8).media.map(\.media)
            let videoSection = try #require(media.firstIndex(of: "video"))
            #expect(
                answer.values("link") == [
                    "<\(location)/layer>; rel=\"urn:ietf:params:whep:ext:core:layer\"",
                    "<\(location)/events?video=\(videoSection)>; rel=\"urn:ietf:params:whep:ext:core:server-sent-events\"; "
                        + "events=\"active,inactive,layers,viewercount\"",
                ])
            let offered = try Offer(parsing: RawHTTPClient.offer(offer).utf8)
            let answered = try Answer(parsing: answer.body, to: offered.description)
            #expect(answer.fields["etag"] == "\"\(answered.peer.credentials.ufrag)\"")
            #expect(answered.tracks.allSatisfy { $0.direction == .sendonly })
            #expect(Set(answered.tracks.map(\.track.kind)) == [.audio, .video])
            for track in answered.tracks.map(\.track) {
                #expect(track.encodings.first?.ssrc != nil)
                #expect((track.encodings.first?.rtxSSRC != nil) == (track.rtxPayloadType != nil))
            }
            let request = try #require(double.state.withLock { $0.opened.last })
            #expect(request.direction == .subscribe)
            #expect(try request.tracks == offered.sendable())
            // A data channel is rejected; audio and video are accepted.
            #expect(answered.description.media.filter { $0.media == "application" }.allSatisfy { $0.port == 0 })
        }
    }

    @Test func aStreamIsNamedInThePath() async throws {
        try await withDoubledWebRTC { double, http, _ in
            _ = try await http.publish(stream: "first")
            _ = try await http.publish(stream: "a%2Fb")
            for (path, stream) in [("demo", "a/b"), ("Demo/first", "first"), ("demo/a%2Fb", "a/b")] {
                #expect(try await http.view(path).status == 201)
                #expect(double.state.withLock { $0.opened.last?.session } == "demo")
                let there = double.state.withLock { $0.transports.values.map(\.snapshot) }
                #expect(there.contains { $0.direction == .subscribe && $0.stream == stream })
            }
        }
    }

    @Test(
        "a missing stream is 404 with a Retry-After",
        arguments: [("demo", "unknownSession"), ("demo/cam", "unknownSession"), ("other/cam", "unknownStream")])
    func early(path: String, code: String) async throws {
        try await withDoubledWebRTC { _, http, _ in
            _ = try await http.publish("other", stream: "screen")
            for wait in ["", "?wait=0", "?wait=1"] {
                let answer = try await http.view(path + wait)
                #expect(answer.status == 404 && answer.problemCode == code, "\(wait)")
                #expect(answer.fields["retry-after"] == "1")
                #expect(answer.fields["access-control-allow-origin"] == "*")
            }
        }
    }

    @Test(arguments: ["-1", "61", "x", "", "1.5"])
    func aWaitIsBounded(text: String) async throws {
        try await withDoubledWebRTC { _, http, _ in
            let answer = try await http.view("demo?wait=\(text)")
            #expect(answer.status == 422)
            #expect(try answer.json["field"] as? String == "wait")
        }
    }

    @Test(
        "a subscriber may wait for a stream", arguments: [("demo", nil), ("demo/cam", "cam"), ("demo/cam", "other")])
    func waiting(path: String, published: String?) async throws {
        try await withDoubledWebRTC { double, http, _ in
            let start = ContinuousClock.now
            async let subscriber = http.view("\(path)?wait=20")
            try await until { double.state.withLock { $0.attempts } == 1 }
            // Streams of other sessions do not end the wait.
            _ = try await http.publish("elsewhere", stream: "cam")
            _ = try await http.publish(stream: published)
            if published == "other" {
                try await until { double.state.withLock { $0.attempts } >= 4 }
                _ = try await http.publish(stream: "cam")
            }
            let answer = try await subscriber
            #expect(answer.status == 201)
            #expect(start.duration(to: .now) < .seconds(15))
            if published == nil { #expect(double.state.withLock { $0.attempts } == 4) }
        }
    }

    @Test func aWaitEndsWhenTheRelayDrains() async throws {
        try await withDoubledWebRTC { double, http, bodies in
            async let subscriber = http.view("demo?wait=60")
            try await until { double.state.withLock { $0.attempts } == 1 }
            bodies.beginDraining()
            bodies.closeAll()
            let answer = try await subscriber
            #expect(answer.status == 503 && answer.problemCode == "draining")
        }
    }

    @Test func aWaitEndsWithItsSubscriber() async throws {
        try await withDoubledWebRTC { double, http, bodies in
            let offer = try RawHTTPClient.offer("chromium-view")
            let subscriber = Task {
                try await http.begin(
                    "POST /whep/demo?wait=60 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sdp\r\n"
                        + "Content-Length: \(offer.utf8.count)\r\n\r\n" + offer, until: .max)
            }
            try await until { double.state.withLock { $0.attempts } == 1 }
            #expect(bodies.count == 1)
            #expect(try await http.request("GET", "/metrics").text.contains("millrace_http_waiting_viewers 1\n"))
            subscriber.cancel()
            try await until { bodies.count == 0 }
            _ = try await http.publish()
            #expect(double.state.withLock { $0.transports.count } == 1)
        }
    }

    @Test func everyMethodIsAnswered() async throws {
        try await withDoubledWebRTC { _, http, _ in
            _ = try await http.publish(stream: "cam")
            let resource = try #require(try await http.view().fields["location"])
            for path in ["/whep/demo", "/whep/demo/cam"] {
                // Players check whether a URL is a WHEP endpoint.
                let head = try await http.request("HEAD", path)
                let get = try await http.request("GET", path)
                for answer in [head, get] {
                    #expect(answer.status == 204 && answer.fields["content-type"] == "application/sdp")
                    #expect(answer.body.isEmpty)
                }
                let options = try await http.request("OPTIONS", path)
                #expect(options.status == 200 && options.fields["accept-post"] == "application/sdp")
            }
            #expect(try await http.request("GET", resource).status == 204)
            #expect(try await http.request("OPTIONS", resource + "/layer").status == 204)
            for (method, path) in [
                ("PUT", "/whep/demo"), ("DELETE", "/whep/demo"), ("PATCH", "/whep/demo/cam"), ("PUT", resource),
                ("POST", resource), ("GET", resource + "/layer"), ("DELETE", resource + "/layer"),
            ] {
                let answer = try await http.request(method, path, body: "")
                #expect(answer.status == 405 && answer.problemCode == "methodNotAllowed", "\(method) \(path)")
            }
            // The relay makes no counter-offers and refuses answers to them.
            let counter = try await http.request(
                "PATCH", resource, body: RawHTTPClient.offer("chromium-view"), fields: RawHTTPClient.sdp)
            #expect(counter.status == 415)
        }
    }

    @Test(
        "a layer can be selected",
        arguments: [
            ("{}", LayerChoice.automatic), (#"{"spatial":1}"#, .upTo(spatial: 1, temporal: nil)),
            (#"{"temporal":0}"#, .upTo(spatial: nil, temporal: 0)),
            (#"{"spatial":0,"temporal":2}"#, .upTo(spatial: 0, temporal: 2)), (#"{"spatial":null}"#, .automatic),
        ])
    func layers(body: String, choice: LayerChoice) async throws {
        try await withDoubledWebRTC { double, http, _ in
            _ = try await http.publish()
            let resource = try #require(try await http.view().fields["location"])
            let answer = try await http.request("POST", resource + "/layer", body: body)
            #expect(answer.status == 204 && answer.body.isEmpty)
            #expect(double.state.withLock { $0.transports.values.compactMap(\.layer) } == [choice])
        }
    }

    @Test func anEncodingIsChosenByItsRID() async throws {
        try await withDoubledWebRTC { double, http, _ in
            _ = try await http.publish()
            let resource = try #require(try await http.view().fields["location"])
            for (body, temporal) in [(#"{"encodingId":"hi"}"#, nil), (#"{"encodingId":"hi","temporal":1}"#, 1)] {
                #expect(try await http.request("POST", resource + "/layer", body: body).status == 204)
                let rid = try #require(RID("hi"))
                #expect(
                    double.state.withLock { $0.transports.values.compactMap(\.layer) }
                        == [.encoding(rid, temporal: temporal)])
            }
            double.state.withLock {
                $0.layerFailure = .invalidRequest(field: "encodingId", reason: "the stream has no such encoding")
            }
            let unknown = try await http.request("POST", resource + "/layer", body: #"{"encodingId":"no"}"#)
            #expect(unknown.status == 422)
            #expect(try unknown.json["field"] as? String == "encodingId")
        }
    }

    @Test(
        "invalid layers are refused",
        arguments: [
            (#"{"spatial":-1}"#, "spatial"), (#"{"spatial":1.5}"#, "spatial"), (#"{"spatial":"1"}"#, "spatial"),
            (#"{"temporal":4}"#, "temporal"), (#"{"temporal":1e300}"#, "temporal"),
            (#"{"encodingId":""}"#, "encodingId"), (#"{"encodingId":"a b"}"#, "encodingId"),
            (#"{"encodingId":7}"#, "encodingId"), (#"{"encodingId":"hi","spatial":1}"#, "spatial"),
        ])
    func badLayers(body: String, field: String) async throws {
        try await withDoubledWebRTC { double, http, _ in
            _ = try await http.publish()
            let resource = try #require(try await http.view().fields["location"])
            let answer = try await http.request("POST", resource + "/layer", body: body)
            #expect(answer.status == 422 && answer.problemCode == "invalidField")
            #expect(try answer.json["field"] as? String == field)
            #expect(try await http.request("POST", resource + "/layer", body: "[]").status == 400)
            #expect(
                try await http.request("POST", resource + "/layer", body: "{}", fields: RawHTTPClient.sdp).status == 415
            )
            #expect(double.state.withLock { $0.transports.values.allSatisfy { $0.layer == nil } })
        }
    }

    /// Waits until other tasks make the condition true.
    private func until(_ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while !condition() {
            guard ContinuousClock.now < deadline else {
                Issue.record("it did not come about")
                return
            }
            await Task.yield()
        }
    }
}
