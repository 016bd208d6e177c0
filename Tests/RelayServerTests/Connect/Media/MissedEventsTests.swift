import MediaEngine
import Signaling
import Testing

@Suite("Lost events of the media engine", .serialized)
struct MissedEventsTests {
    private func transport(_ answer: RawHTTPResponse) throws -> TransportID {
        try #require(answer.status == 201, "\(answer.text)")
        let location = try #require(answer.fields["location"])
        return TransportID(rawValue: String(try #require(location.split(separator: "/").last)))
    }

    @Test("missed events are recovered: first media, frame sizes, publishers that ended", .timeLimit(.minutes(2)))
    func reconciling() async throws {
        // No event of the engine reaches the sessions.
        let (events, told) = AsyncStream<StreamEvent>.makeStream()
        try await withConnect(events: events) { relay in
            let ada = try await relay.enter("Ada", token: .host)
            let ben = try await relay.enter("Ben")
            let camera = try await ada.publish("camera")
            try await eventually("media comes") {
                (try? await relay.engine.streams(session: "demo"))?.first?.video?.width != nil
            }
            #expect(!ben.socket.events.contains { $0.event.name == .streamCreated })
            told.yield(.missed(session: nil))
            guard case .streamCreated(let created) = try await ben.socket.next(.streamCreated) else { return }
            #expect(created.stream.id == camera.id && created.stream.hasAudio && created.stream.hasVideo)
            guard case .streamChanged(let changed) = try await ben.socket.next(.streamChanged) else { return }
            #expect(changed.stream.width == 320 && changed.stream.height == 180)

            let plain = try await relay.http.request(
                "POST", "/v1/sessions/demo/plain", body: #"{"direction":"publish","stream":"plain","audio":{}}"#)
            try await relay.engine.closePlain(transport(plain), session: "demo")
            let whip = try await relay.http.publish(stream: "web")
            try await relay.engine.closeWebRTC(transport(whip), session: "demo")
            #expect(await relay.liveSessions.gauges().users[.publisher] == 2)
            told.yield(.missed(session: "demo"))
            try await eventually("both have left") {
                ben.socket.events.reduce(0) { count, message in
                    switch message.event {
                    case .userLeft: count + 1
                    case .usersChanged(let body): count + body.left.count
                    default: count
                    }
                } == 2
            }
            #expect(await relay.liveSessions.gauges().users[.publisher] ?? 0 == 0)
            // Unchanged state is not announced again.
            let before = ben.socket.events.count
            told.yield(.missed(session: "demo"))
            #expect(try await ben.socket.ask(SignalRequest(type: "x", to: ben.joined.connection)) == nil)
            _ = try await ben.socket.next(.signal)
            await moment(.milliseconds(200))
            #expect(ben.socket.events.count <= before + 1)
            await ada.close()
            await ben.close()
        }
    }
}
