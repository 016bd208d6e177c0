import ControlServer
import HTTPCalls
import MediaBase
import MillraceClient
import NIOConcurrencyHelpers
import Signaling
import Testing

@Suite("SDK and relay: reconnecting", .serialized) struct SessionReconnectTests {
    private static func count(_ event: SessionEvent) -> Int? {
        if case .signal(_, "count", let data) = event { return Int(data) }
        return nil
    }

    @Test(
        "CON-3 SIG-3 after a WebSocket cut the id is kept, no event is lost, media continues, queued signals are sent",
        .timeLimit(.minutes(2)))
    func cut() async throws {
        try await RelayUnderTest.run { relay in
            let proxy = try await TCPProxy.start(to: relay.port)
            let call = try await relay.call(url: "http://127.0.0.1:\(proxy.port)")
            let (ada, bob, publisher, stream, subscriber) = (
                call.ada, call.bob, call.publisher, call.stream, call.subscriber
            )
            _ = await SessionMediaTests.counters(subscriber, 10, "frames before the cut")
            let (connection, events, bobs) = (ada.connection, ada.events, bob.events)
            let dropped = subscriber.events
            for number in 1...3 { try await bob.signal(type: "count", data: "\(number)") }
            proxy.cut(blocks: true)
            _ = await first(of: events, "reconnecting") { $0 == .didBeginReconnecting ? true : nil }
            #expect(ada.status == .reconnecting)
            _ = await first(of: dropped, "the drop, as others see it") { $0 == .dropped ? true : nil }
            #expect(bob.streams[stream]?.isDropped == true)
            for number in 4...20 { try await bob.signal(type: "count", data: "\(number)") }
            // Media uses another path.
            _ = await SessionMediaTests.counters(subscriber, 15, "frames during the cut")
            await #expect(throws: SessionError.self) {
                try await ada.signal(type: "now", retryAfterReconnect: false)
            }
            async let queued: Void = ada.signal(type: "later", data: "kept")
            proxy.unblock()
            let back = ada.events
            try await queued
            if ada.status != .connected {
                _ = await first(of: back, "the return") { $0 == .didReconnect(isNewConnection: false) ? true : nil }
            }
            #expect(ada.status == .connected && ada.connection == connection)
            #expect(publisher.stream == stream)
            _ = await first(of: bobs, "the signal that waited") { event -> Bool? in
                if case .signal(let from, "later", "kept") = event { return from == connection ? true : nil }
                return nil
            }
            _ = await SessionMediaTests.counters(subscriber, 15, "frames after the cut")
            #expect(bob.streams[stream]?.isDropped == false)
            _ = call.source
            await ada.disconnect()
            await bob.disconnect()
            await proxy.stop()
        }
    }

    @Test(
        "CON-3 a client that missed too many events keeps its id and streams, follows a mute, and receives media again",
        .timeLimit(.minutes(2)))
    func snapshot() async throws {
        try await RelayUnderTest.run({ $0.limitReplayEvents = 20 }) { relay in
            let proxy = try await TCPProxy.start(to: relay.port)
            let bob = try await relay.join("Bob", canHost: true)
            let ada = try await relay.join("Ada", url: "http://127.0.0.1:\(proxy.port)")
            let connection = try #require(ada.connection)
            let (publisher, bobs) = (Publisher(TestSource.settings), Publisher(TestSource.settings))
            let stream = try await ada.publish(publisher)
            let theirs = try await bob.publish(bobs)
            let sources = [TestSource(publisher), TestSource(bobs)]
            let received = try await SessionMediaTests.subscribe(ada, to: theirs)
            let sent = try await SessionMediaTests.subscribe(bob, to: stream)
            _ = await SessionMediaTests.counters(received, 5, "frames for Ada")
            _ = await SessionMediaTests.counters(sent, 5, "frames of Ada")
            let events = ada.events
            proxy.cut(blocks: true)
            _ = await first(of: events, "reconnecting") { $0 == .didBeginReconnecting ? true : nil }
            for number in 1...30 { try await bob.signal(type: "count", data: "\(number)") }
            try await bob.muteUser(connection, .audio)
            let cleo = try await relay.join("Cleo")
            let (back, mutes) = (ada.events, publisher.events)
            proxy.unblock()
            _ = await first(of: back, "the return") { $0 == .didReconnect(isNewConnection: false) ? true : nil }
            _ = await first(of: mutes, "the mute") { $0 == .muteForced ? true : nil }
            #expect(ada.connection == connection && publisher.stream == stream)
            #expect(publisher.isAudioMuted && !publisher.isVideoMuted)
            #expect(ada.remoteUsers.map(\.name) == ["Bob", "Cleo"])
            _ = await SessionMediaTests.counters(received, 10, "frames for Ada after the snapshot")
            _ = await SessionMediaTests.counters(sent, 10, "frames of Ada after the snapshot")
            withExtendedLifetime(sources) {}
            for session in [ada, bob, cleo] { await session.disconnect() }
            await proxy.stop()
        }
    }

    @Test("CON-3 missed events are replayed in order, each once", .timeLimit(.minutes(2))) func replay() async throws {
        try await RelayUnderTest.run { relay in
            let proxy = try await TCPProxy.start(to: relay.port)
            let ada = try await relay.join("Ada", canHost: true, url: "http://127.0.0.1:\(proxy.port)")
            let bob = try await relay.join("Bob")
            let events = ada.events
            for number in 1...60 {
                if number % 20 == 10 { proxy.cut() }
                try await bob.signal(type: "count", data: "\(number)")
            }
            let heard = NIOLockedValueBox<[Int]>([])
            _ = await first(of: events, within: 40, "60 signals") { event -> Bool? in
                guard let number = Self.count(event) else { return nil }
                return heard.withLockedValue { heard in
                    heard.append(number)
                    return number == 60 ? true : nil
                }
            }
            #expect(heard.withLockedValue { $0 } == Array(1...60))
            await ada.disconnect()
            await bob.disconnect()
            await proxy.stop()
        }
    }

    @Test("CON-3 CON-6 clients join a restarted relay again by themselves, and publish again")
    func relayRestarts() async throws {
        let port = NIOLockedValueBox(0)
        let session = NIOLockedValueBox<(Session, Publisher, Feed<SessionEvent>, TestSource)?>(nil)
        try await RelayUnderTest.run { relay in
            port.withLockedValue { $0 = relay.port }
            let ada = try await relay.join("Ada", canHost: true)
            let publisher = Publisher(TestSource.settings)
            try await ada.publish(publisher)
            session.withLockedValue { $0 = (ada, publisher, ada.events, TestSource(publisher)) }
        }
        guard let (ada, publisher, events, source) = session.withLockedValue({ $0 }) else { return }
        try await RelayUnderTest.run({ $0.httpPort = port.withLockedValue { $0 } }) { relay in
            _ = await first(of: events, within: 40, "the return") { event -> Bool? in
                event == .didReconnect(isNewConnection: true) ? true : nil
            }
            let bob = try await relay.join("Bob")
            let stream = await first(of: ada.events, "the stream's return") { event -> StreamID? in
                if case .streamCreated(let created) = event { return created.id }
                return publisher.stream.flatMap { ada.streams[$0]?.id }
            }
            guard let stream else { return }
            let subscriber = try await SessionMediaTests.subscribe(bob, to: stream)
            _ = await SessionMediaTests.counters(subscriber, 10, "frames by way of the new relay")
            _ = source
            await ada.disconnect()
            await bob.disconnect()
        }
    }

    @Test(
        "CON-6 a draining relay sends its clients to another relay, where their session continues",
        .timeLimit(.minutes(2)))
    func moves() async throws {
        try await RelayUnderTest.run { second in
            try await RelayUnderTest.run({ $0.adminToken = "administrator-of-the-relay" }) { first in
                let call = try await first.call()
                let (ada, bob, publisher, stream, before) = (
                    call.ada, call.bob, call.publisher, call.stream, call.subscriber
                )
                _ = await SessionMediaTests.counters(before, 10, "frames by way of the first relay")
                let (adas, bobs, news) = (ada.events, bob.events, bob.events)
                let body = #"{"seconds": 4, "url": "\#(second.url)"}"#
                let target = try #require(HTTPTarget(first.url + "/v1/admin/drain"))
                let order = HTTPCall(
                    method: "POST", target: target,
                    fields: [
                        ("Authorization", "Bearer administrator-of-the-relay"), ("Content-Type", "application/json"),
                    ],
                    body: Array(body.utf8))
                #expect(try await HTTPCaller(authorities: nil).send(order, within: .seconds(20)).status == 202)
                for events in [adas, bobs] {
                    let draining = await MillraceClientTests.first(of: events, "the warning") { event -> Bool? in
                        if case .relayDraining(let seconds) = event { return seconds > 0 && seconds <= 4 }
                        return nil
                    }
                    #expect(draining == true)
                    _ = await MillraceClientTests.first(of: events, "the move") { event -> Bool? in
                        event == .didReconnect(isNewConnection: true) ? true : nil
                    }
                }
                let created = await MillraceClientTests.first(of: news, "the stream at the second relay") {
                    event -> StreamID? in
                    if case .streamCreated(let info) = event { return info.id }
                    return nil
                }
                guard let created else { return }
                #expect(created != stream && publisher.stream == created && before.isEnded)
                let after = try await SessionMediaTests.subscribe(bob, to: created)
                _ = await SessionMediaTests.counters(after, 10, "frames by way of the second relay")
                _ = call.source
                await ada.disconnect()
                await bob.disconnect()
            }
        }
    }

    @Test("CON-4 a client whose address changes continues without joining again", .timeLimit(.minutes(2)))
    func networkChange() async throws {
        try await RelayUnderTest.run { relay in
            let call = try await relay.call()
            let (ada, bob, subscriber) = (call.ada, call.bob, call.subscriber)
            _ = await SessionMediaTests.counters(subscriber, 10, "frames before")
            await ada.networkChanged()
            await bob.networkChanged()
            _ = await SessionMediaTests.counters(subscriber, 30, "frames after")
            #expect(ada.status == .connected && bob.status == .connected)
            _ = call.source
            await ada.disconnect()
            await bob.disconnect()
        }
    }
}
