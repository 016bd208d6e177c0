import MediaBase
import Signaling
import Testing

@testable import MillraceClient

@Suite("SDK and relay: broken paths", .serialized) struct SessionPathTests {
    private static func isSubscribed(_ session: Session) async -> ObjectIdentifier? {
        let id = await session.core.thread?.call { room in room.subscribing.map { ObjectIdentifier($0) } }
        return id ?? nil
    }

    @Test(
        "CON-3 CON-4 a silent path is found again by ICE restart, with the same peer connections and keys",
        .timeLimit(.minutes(2)))
    func silent() async throws {
        try await RelayUnderTest.run { relay in
            let call = try await relay.call()
            let (ada, bob, publisher, stream, subscriber) = (
                call.ada, call.bob, call.publisher, call.stream, call.subscriber
            )
            _ = await SessionMediaTests.counters(subscriber, 10, "frames before")
            let (peer, answered) = (await Self.isSubscribed(bob), await bob.core.answeredRevision)
            let (adas, bobs) = (ada.events, bob.events)
            await bob.core.subscribePath(is: .silent)
            await ada.core.publishPath(is: .silent)
            _ = await SessionMediaTests.counters(subscriber, 30, "frames after")
            #expect(await Self.isSubscribed(bob) == peer)
            #expect(try #require(await bob.core.answeredRevision) > (answered ?? 0))
            #expect(publisher.stream == stream)
            // Neither participant received an event.
            for feed in [adas, bobs] {
                while let event = feed.poll() {
                    if case .activeSpeakerChanged = event { continue }
                    if case .streamChanged = event { continue }
                    Issue.record("unexpected \(event)")
                }
            }
            _ = call.source
            await ada.disconnect()
            await bob.disconnect()
        }
    }

    @Test(
        "CON-9 media that cannot reach the relay is reported after 10 s with its candidates, and when it connects",
        .timeLimit(.minutes(2)))
    func unreachable() async throws {
        try await RelayUnderTest.run { relay in
            let network = try await SwitchableNetwork.start(to: relay.port, mediaPort: relay.mediaPort)
            network.setMedia(false)
            let ada = try await relay.join("Ada", canHost: true, url: "http://127.0.0.1:\(network.port)")
            let events = ada.events
            let begun = ContinuousClock.now
            try await ada.publish(Publisher(TestSource.settings))
            let found = await first(of: events, "no media path") { event -> NoMediaPath? in
                if case .noMediaPath(let path) = event { return path }
                return nil
            }
            let path = try #require(found)
            let took = ContinuousClock.now - begun
            #expect(took > .seconds(9) && took < .seconds(14), "\(took)")
            #expect(path.direction == .publish && path.stage == .ice && !path.candidates.isEmpty)
            let tried = path.candidates.filter { !$0.isTCP }
            #expect(tried.contains { $0.address.hasPrefix("127.0.0.1:") && $0.checksSent >= 4 }, "\(path)")
            #expect(path.candidates.allSatisfy { $0.checksAnswered == 0 })
            network.setMedia(true)
            let repaired = await first(of: events, within: 40, "a media path") { event -> MediaDirection? in
                switch event {
                case .mediaPathFound(let direction): return direction
                case .noMediaPath:
                    Issue.record("told twice")
                    return nil
                default: return nil
                }
            }
            #expect(repaired == .publish)
            await ada.disconnect()
            await network.stop()
        }
    }

    @Test("CON-3 both ends replace a peer connection that only the client has lost", .timeLimit(.minutes(2)))
    func ended() async throws {
        try await RelayUnderTest.run { relay in
            let network = try await SwitchableNetwork.start(to: relay.port, mediaPort: relay.mediaPort)
            let ada = try await relay.join("Ada", canHost: true, url: "http://127.0.0.1:\(network.port)")
            let bob = try await relay.join("Bob")
            let (adas, bobs) = (Publisher(TestSource.settings), Publisher(TestSource.settings))
            let (first, second) = (try await ada.publish(adas), try await bob.publish(bobs))
            let sources = [TestSource(adas), TestSource(bobs)]
            let watching = try await SessionMediaTests.subscribe(ada, to: second)
            _ = await SessionMediaTests.counters(watching, 10, "Bob's frames before")
            let watched = try await SessionMediaTests.subscribe(bob, to: first)
            _ = await SessionMediaTests.counters(watched, 10, "Ada's frames before")
            let events = bob.events
            // The relay is not informed of the loss.
            network.cut(.silent)
            await ada.core.thread?.call { room in
                room.publishing?.close(now: ClientClock.now)
                room.subscribing?.close(now: ClientClock.now)
            }
            network.restore()
            async let publishing: Void = ada.core.publishPath(is: .ended)
            async let subscribing: Void = ada.core.subscribePath(is: .ended)
            _ = await (publishing, subscribing)
            _ = await SessionMediaTests.counters(watching, 15, "Bob's frames after")
            #expect(!watching.isEnded)
            let created = await MillraceClientTests.first(of: events, "the stream of the new one") {
                event -> StreamID? in
                if case .streamCreated(let info) = event, info.id != first { return info.id }
                return nil
            }
            if let created {
                let again = try await SessionMediaTests.subscribe(bob, to: created)
                _ = await SessionMediaTests.counters(again, 15, "Ada's frames after")
                #expect(adas.stream == created && watched.isEnded)
            }
            #expect(ada.status == .connected)
            _ = sources
            await ada.disconnect()
            await bob.disconnect()
            await network.stop()
        }
    }
}
