import Foundation
import MediaBase
import Signaling
import Testing

@testable import ControlServer
@testable import MediaEngine

@Suite("WHEP: server-sent events (draft-ietf-wish-whep)", .serialized)
struct WHEPEventTests {
    private static let all = #"["active","inactive","layers","viewercount","later"]"#

    private func publish(_ relay: ConnectFixture, _ peer: MediaPeer) async throws -> String {
        let answer = try await relay.http.request(
            "POST", "/whip/demo/cam", body: peer.offer().sdp, fields: RawHTTPClient.sdp)
        try #require(answer.status == 201, "\(answer.text)")
        try peer.accept(answer.text)
        return try #require(answer.fields["location"])
    }

    private func subscribe(
        _ relay: ConnectFixture, _ peer: MediaPeer
    ) async throws -> (resource: String, events: String) {
        let answer = try await relay.http.request(
            "POST", "/whep/demo/cam?wait=20", body: peer.subscribingOffer, fields: RawHTTPClient.sdp)
        try #require(answer.status == 201, "\(answer.text)")
        try peer.accept(answer.text)
        let link = try #require(answer.values("link").first { $0.contains(WHEPEventRoutes.relation) })
        return (try #require(answer.fields["location"]), String(link.dropFirst().prefix { $0 != ">" }))
    }

    private func receives(_ peer: MediaPeer) async throws {
        let start = MediaPeer.now
        try await eventually("audio and video") {
            peer.reception("0").lastAudio > start && peer.reception("1").lastFrame > start
        }
    }

    @Test(
        "a subscriber to a named stream gets events of its end and start, and the media of the new publication",
        .timeLimit(.minutes(2)))
    func stream() async throws {
        try await withConnect { relay in
            // Keeps the session alive while it has no publisher.
            let (host, _) = try await relay.join("Host")
            let first = try await MediaPeer(.publish, source: 1)
            _ = first.add()
            let published = try await publish(relay, first)
            let peer = try await MediaPeer(.view)
            let (resource, events) = try await subscribe(relay, peer)
            #expect(events == resource + "/events?video=1")
            let made = try await relay.http.request("POST", events, body: Self.all)
            #expect(made.status == 201, "\(made.text)")
            let location = try #require(made.fields["location"])
            #expect(location.hasPrefix(resource + "/events/"))
            let reader = try await EventStreamReader(port: relay.port, path: location)
            try await receives(peer)
            try await eventually("the state is told") {
                reader.events.contains("active") && reader.text.contains(#"{"viewercount":1}"#)
                    && reader.text.contains(#""width":320"#)
            }
            #expect(reader.text.contains("HTTP/1.1 200") && reader.text.contains("text/event-stream"))
            #expect(reader.text.contains(#"data: {"1":{"active":["#))
            #expect(!reader.events.contains("inactive"))

            #expect(try await relay.http.request("DELETE", published).status == 200)
            try await eventually("its end is told") { reader.events.contains("inactive") }
            let before = reader.events.count
            let second = try await MediaPeer(.publish, source: 2)
            _ = second.add()
            _ = try await publish(relay, second)
            try await eventually("its start is told") { reader.events.dropFirst(before).contains("active") }
            try await receives(peer)

            #expect(try await relay.http.request("DELETE", resource).status == 200)
            try await eventually("the event stream ends with its resource") { reader.hasEnded }
            #expect(try await relay.http.request("GET", location).status == 404)
            for peer in [first, second, peer] { await peer.close() }
            await reader.close()
            _ = host
        }
    }

    @Test(
        "requests for event sources are checked, and a resource has a limited number of them", .timeLimit(.minutes(2)))
    func requests() async throws {
        try await withConnect { relay in
            let plain = #"{"direction":"publish","stream":"cam","audio":{},"video":{}}"#
            #expect(try await relay.http.request("POST", "/v1/sessions/demo/plain", body: plain).status == 201)
            let (resource, events) = try await subscribe(relay, try await MediaPeer(.view))
            for (path, body, status, code) in [
                (events, "{}", 400, "invalidJSON"), (events, #"["later"]"#, 422, "invalidField"),
                (events, "[", 400, "invalidJSON"),
                (resource + "/events?video=x", Self.all, 422, "invalidField"),
                ("/whep/demo/cam/0000/events", Self.all, 404, "unknownTransport"),
            ] {
                let answer = try await relay.http.request("POST", path, body: body)
                #expect(answer.status == status && answer.problemCode == code, "\(path) \(body) \(answer.text)")
            }
            var locations: [String] = []
            for _ in 0..<EventSources.perResource {
                let made = try await relay.http.request("POST", events, body: #"["viewercount"]"#)
                locations.append(try #require(made.fields["location"], "\(made.text)"))
            }
            #expect(Set(locations).count == EventSources.perResource)
            let more = try await relay.http.request("POST", events, body: Self.all)
            #expect(more.status == 503 && more.problemCode == "limitReached", "\(more.text)")
            // A source that has ended no longer counts. No source can be reached by another resource's path.
            let id = try #require(locations[0].split(separator: "/").last)
            #expect(try await relay.http.request("GET", "/whep/demo/cam/0000/events/\(id)").status == 404)
            #expect(try await relay.http.request("DELETE", locations[0]).status == 200)
            #expect(try await relay.http.request("DELETE", locations[0]).status == 404)
            #expect(try await relay.http.request("POST", events, body: Self.all).status == 201)
            // Only requested events are sent; a second reader replaces the first.
            let one = try await EventStreamReader(port: relay.port, path: locations[1])
            try await eventually("its first event") { one.events == ["viewercount"] }
            let two = try await EventStreamReader(port: relay.port, path: locations[1])
            try await eventually("the first reader ends") { one.hasEnded }
            try await eventually("the second has the state") { two.events == ["viewercount"] }
            // The end of the session ends the resource.
            await relay.liveSessions.endAll()
            try await eventually("the sources end") { two.hasEnded }
            for reader in [one, two] { await reader.close() }
        }
    }

    @Test("a source that is not read keeps only the newest event of each kind")
    func queue() {
        let source = EventSource(
            session: "demo", stream: "cam", transport: TransportID(rawValue: "t"), wanted: Set(ResourceEvent.allCases),
            section: 1)
        #expect(source.take() == "")
        var snapshot = StreamSnapshot(
            name: "cam", audio: nil, video: nil, subscribers: 0, taps: 0, isSpeaking: false, createdAt: 0)
        snapshot.audio = TrackSnapshot(
            ssrc: 1, packets: 1, bytes: 1, lost: 0, jitter: .zero, bitrate: Bitrate(rawValue: 1), muted: false)
        for count in 1...1_000 {
            snapshot.subscribers = count
            let rate = Bitrate.kilobits(Int64(count))
            snapshot.encodings = [
                EncodingSnapshot(id: "h", isActive: count > 1, bitrate: rate, width: 320, height: 180)
            ]
            source.update(StreamState(snapshot))
        }
        let text = source.take()
        #expect(
            text.split(separator: "\n").filter { $0.hasPrefix("event: ") } == [
                "event: active", "event: layers", "event: viewercount",
            ])
        #expect(text.contains(#"{"viewercount":1000}"#) && text.contains(#""bitrate":1000000"#))
        #expect(source.take() == "")
        // A small change of the bit rate causes no event.
        snapshot.encodings[0].bitrate = .kilobits(900)
        source.update(StreamState(snapshot))
        #expect(source.take() == "")
        source.update(StreamState(nil))
        #expect(source.take().contains("event: inactive\ndata: {}\n\n"))
    }
}
