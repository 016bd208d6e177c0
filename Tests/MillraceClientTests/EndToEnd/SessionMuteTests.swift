import MillraceClient
import NIOConcurrencyHelpers
import Signaling
import TestMedia
import Testing

@Suite("SDK and relay: muting", .serialized) struct SessionMuteTests {
    /// A host and two participants who publish a tone that the host receives.
    private struct Room {
        let host: Session
        let users: [Session]
        let publishers: [Publisher]
        let streams: [StreamID]
        let subscribers: [Subscriber]
        private let sources: [TestSource]

        static func run(_ body: (Room) async throws -> Void) async throws {
            try await RelayUnderTest.run { relay in
                let host = try await relay.join("Ada", canHost: true)
                var (users, publishers, streams): ([Session], [Publisher], [StreamID]) = ([], [], [])
                var (subscribers, sources): ([Subscriber], [TestSource]) = ([], [])
                for name in ["Bob", "Cleo"] {
                    let user = try await relay.join(name)
                    var settings = TestSource.settings
                    settings.video = nil
                    let publisher = Publisher(settings)
                    let stream = try await user.publish(publisher)
                    sources.append(TestSource(publisher))
                    subscribers.append(try await SessionMediaTests.subscribe(host, to: stream))
                    users.append(user)
                    publishers.append(publisher)
                    streams.append(stream)
                }
                let room = Room(
                    host: host, users: users, publishers: publishers, streams: streams, subscribers: subscribers,
                    sources: sources)
                for subscriber in subscribers { await room.tones(subscriber, 20) }
                try await body(room)
                for session in users + [host] { await session.disconnect() }
            }
        }

        /// Waits until `count` blocks contained the tone.
        func tones(_ subscriber: Subscriber, _ count: Int) async {
            let heard = NIOLockedValueBox(0)
            let tone = TestSource.tone
            _ = await first(of: subscriber.canvas.audio(limit: 500), "the tone") { block -> Bool? in
                guard ToneDetector.holds(tone, in: block) else { return nil }
                return heard.withLockedValue { heard in
                    heard += 1
                    return heard >= count ? true : nil
                }
            }
        }

        /// Checks that the tone of `loud` arrives for one second, and that of `silent` does not.
        func hearsOnly(_ loud: Int, not silent: Int) async {
            // Skips audio that was in flight.
            await tones(subscribers[loud], 25)
            let rest = subscribers[silent].canvas.audio(limit: 500)
            await tones(subscribers[loud], 50)
            while let block = rest.poll() { #expect(!ToneDetector.holds(TestSource.tone, in: block)) }
        }
    }

    @Test("MUT-1 MUT-3 muting all silences every stream except the excluded ones", .timeLimit(.minutes(2)))
    func excluding() async throws {
        try await Room.run { room in
            let (bobs, cleos) = (room.publishers[0].events, room.publishers[1].events)
            try await room.host.forceMuteAll(excluding: [room.streams[0]])
            _ = await first(of: cleos, "Cleo's mute") { $0 == .muteForced ? true : nil }
            await room.hearsOnly(0, not: 1)
            #expect(room.host.streams[room.streams[0]]?.isAudioMuted == false)
            #expect(room.host.streams[room.streams[1]]?.isAudioMuted == true)
            #expect(!room.publishers[0].isAudioMuted && room.publishers[1].isAudioMuted)
            while let event = bobs.poll() { #expect(event != .muteForced) }
            #expect(room.users.allSatisfy { $0.isMuteForced })
        }
    }

    @Test("MUT-2 MUT-3 MUT-4 one stream is muted; its publisher is notified and unmutes it", .timeLimit(.minutes(2)))
    func oneStream() async throws {
        try await Room.run { room in
            do throws(SessionError) {
                try await room.users[0].forceMuteStream(room.streams[1])
                Issue.record("Bob may not")
            } catch {
                #expect(error.code == .notPermitted)
            }
            let (cleos, told) = (room.publishers[1].events, room.users[1].events)
            try await room.host.forceMuteStream(room.streams[1])
            _ = await first(of: cleos, "Cleo's mute") { $0 == .muteForced ? true : nil }
            _ = await first(of: told, "what the session tells of it") { event -> Bool? in
                if case .streamMuteForced(let stream, _) = event { return stream == room.streams[1] }
                return nil
            }
            await room.hearsOnly(0, not: 1)
            #expect(!room.host.isMuteForced)
            try await room.publishers[1].setMuted(.audio, false)
            await room.tones(room.subscribers[1], 20)
            #expect(room.host.streams[room.streams[1]]?.isAudioMuted == false)
        }
    }
}
