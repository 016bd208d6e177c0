import Foundation
import MediaBase
import MillraceClient
import MillraceTestKit
import NIOConcurrencyHelpers
import NIOPosix
import RelayServer
import Signaling
import Testing

/// Cuts and restores the whole network of one client, in real time. The long tests run if `MILLRACE_LONG_TESTS` is 1.
@Suite("SDK and relay: network cuts", .serialized) struct NetworkCutTests {
    private static let isLong = LongTests.areEnabled

    /// Ada behind a network that can be cut, and Bob next to the relay; both publish, and each subscribes to the other.
    private struct Call {
        let network: SwitchableNetwork
        let ada: Session
        let bob: Session
        let adas: Publisher
        let bobs: Publisher
        let adaSees: Subscriber
        let bobSees: Subscriber
        let sources: [TestSource]

        static func run(
            _ configure: (inout RelayConfiguration) -> Void = { _ in }, _ body: (Call) async throws -> Void
        ) async throws {
            try await RelayUnderTest.run(configure) { relay in
                let network = try await SwitchableNetwork.start(to: relay.port, mediaPort: relay.mediaPort)
                let ada = try await relay.join("Ada", canHost: true, url: "http://127.0.0.1:\(network.port)")
                let bob = try await relay.join("Bob")
                let (adas, bobs) = (Publisher(TestSource.settings), Publisher(TestSource.settings))
                let (first, second) = (try await ada.publish(adas), try await bob.publish(bobs))
                let sources = [TestSource(adas), TestSource(bobs)]
                let bobSees = try await SessionMediaTests.subscribe(bob, to: first)
                let adaSees = try await SessionMediaTests.subscribe(ada, to: second)
                let call = Call(
                    network: network, ada: ada, bob: bob, adas: adas, bobs: bobs, adaSees: adaSees, bobSees: bobSees,
                    sources: sources)
                try await call.seeEachOther("before the cut")
                try await body(call)
                await ada.disconnect()
                await bob.disconnect()
                await network.stop()
            }
        }

        func seeEachOther(_ when: String) async throws {
            for (session, subscriber, whose) in [(ada, adaSees, "Bob's"), (bob, bobSees, "Ada's")] {
                let seen = await SessionMediaTests.counters(subscriber, 15, "\(whose) frames \(when)")
                guard seen.count < 15 else { continue }
                let relays = try await session.statistics()
                Issue.record("\(seen.count) seen; \(await subscriber.statistics); at the relay: \(relays)")
            }
        }

        func cut(_ cut: SwitchableNetwork.Cut, seconds: Int64) async throws {
            network.cut(cut)
            try await MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .seconds(seconds)) {}.futureResult
                .get()
            network.restore()
        }
    }

    /// Returns the events that are queued in a feed.
    private func drain(_ feed: Feed<SessionEvent>) -> [SessionEvent] {
        var events: [SessionEvent] = []
        while let event = feed.poll() { events.append(event) }
        return events
    }

    /// Returns the events of a reconnect, in order.
    private func way(_ events: [SessionEvent]) -> [SessionEvent] {
        events.filter { event in
            switch event {
            case .statusChanged, .didBeginReconnecting, .didReconnect, .didFail, .didDisconnect: true
            default: false
            }
        }
    }

    private func isEnd(_ event: SessionEvent) -> Bool {
        switch event {
        case .streamDestroyed, .connectionDestroyed, .streamCreated, .connectionCreated: true
        default: false
        }
    }

    private func staysTheSame(_ cut: SwitchableNetwork.Cut, seconds: Int64, isNoticed: Bool) async throws {
        try await Call.run { call in
            let (connection, stream) = (call.ada.connection, call.adas.stream)
            let (adas, bobs) = (call.ada.events, call.bob.events)
            let back = call.ada.events
            try await call.cut(cut, seconds: seconds)
            if isNoticed {
                _ = await first(of: back, within: 30, "the return") { event -> Bool? in
                    if case .didReconnect = event { return true }
                    return nil
                }
            }
            try await call.seeEachOther("after the cut")
            #expect(call.ada.connection == connection && call.ada.status == .connected)
            #expect(call.adas.stream == stream)
            #expect(!call.adaSees.isEnded && !call.bobSees.isEnded)
            let told = drain(adas)
            let wanted: [SessionEvent] = [
                .statusChanged(.reconnecting), .didBeginReconnecting, .statusChanged(.connected),
                .didReconnect(isNewConnection: false),
            ]
            #expect(way(told) == (isNoticed ? wanted : []))
            let others = drain(bobs)
            // Other participants saw the streams dropped at most, and restored.
            #expect(!others.contains(where: isEnd) && !told.contains(where: isEnd))
            #expect(call.bob.streams.values.allSatisfy { !$0.isDropped })
            #expect(call.bob.remoteUsers.allSatisfy { $0.isConnected })
        }
    }

    @Test("CON-3 a network that breaks for 5 s: same ids, media continues, events in order", .timeLimit(.minutes(2)))
    func breaksFor5() async throws { try await staysTheSame(.broken, seconds: 5, isNoticed: true) }

    @Test("CON-3 a network that is silent for 5 s: no event is sent, media continues", .timeLimit(.minutes(2)))
    func silentFor5() async throws { try await staysTheSame(.silent, seconds: 5, isNoticed: false) }

    @Test(
        "CON-3 a network that is gone for 20 s: same ids, media continues, events in order", .timeLimit(.minutes(3)),
        .enabled(if: isLong, "MILLRACE_LONG_TESTS is not 1"), arguments: SwitchableNetwork.Cut.allCases)
    func gone20(cut: SwitchableNetwork.Cut) async throws { try await staysTheSame(cut, seconds: 20, isNoticed: true) }

    @Test(
        "CON-3 a network that is gone for 60 s: others see the end, the client joins by itself and publishes again",
        .timeLimit(.minutes(4)), .enabled(if: isLong, "MILLRACE_LONG_TESTS is not 1"),
        arguments: SwitchableNetwork.Cut.allCases)
    func gone60(cut: SwitchableNetwork.Cut) async throws {
        // The relay notices a silent client after three pings; then its grace time of 30 s begins.
        try await Call.run {
            $0.connectPingSeconds = 5
        } _: { call in
            guard let connection = call.ada.connection, let stream = call.adas.stream else { return }
            let (adas, bobs) = (call.ada.events, call.bob.events)
            let back = call.ada.events
            try await call.cut(cut, seconds: 60)
            // The client is still far from reconnecting at this time.
            let others = drain(bobs)
            let ends = others.compactMap { event -> String? in
                switch event {
                case .userDropped(connection, true): return "dropped"
                case .streamDestroyed(let info, let reason):
                    #expect(reason == .networkLost || reason == .reset)
                    return info.id == stream ? "stream destroyed" : nil
                case .connectionDestroyed(let user, .networkLost):
                    return user.id == connection ? "connection destroyed" : nil
                default: return nil
                }
            }
            #expect(ends == ["dropped", "stream destroyed", "connection destroyed"])
            #expect(call.bobSees.isEnded)
            _ = await first(of: back, within: 30, "the return") { event -> Bool? in
                if case .didReconnect = event { return true }
                return nil
            }
            #expect(
                way(drain(adas)) == [
                    .statusChanged(.reconnecting), .didBeginReconnecting, .statusChanged(.connected),
                    .didReconnect(isNewConnection: true),
                ])
            #expect(call.ada.connection != connection && call.ada.status == .connected)
            // The publisher has another stream; the subscriber is the same object.
            let created = await first(of: bobs, "the new stream") { event -> StreamInfo? in
                if case .streamCreated(let info) = event { return info }
                return nil
            }
            guard let created else { return }
            #expect(created.id != stream && created.connection == call.ada.connection)
            #expect(call.adas.stream == created.id)
            let again = try await SessionMediaTests.subscribe(call.bob, to: created.id)
            _ = await SessionMediaTests.counters(again, 15, "Ada's frames afterwards")
            #expect(!call.adaSees.isEnded)
            _ = await SessionMediaTests.counters(call.adaSees, 15, "Bob's frames afterwards")
        }
    }
}
