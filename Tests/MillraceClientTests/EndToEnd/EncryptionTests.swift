import HTTPCalls
import MediaBase
import MillraceClient
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Signaling
import TestMedia
import Testing

@Suite("SDK and relay: end-to-end encryption", .serialized) struct EncryptionTests {
    private static func events(_ session: Session, of stream: StreamID) async -> EncryptionFailure? {
        await first(of: session.events, within: 10, "the failure") { event -> EncryptionFailure? in
            if case .encryptionFailed(stream, let reason) = event { return reason }
            return nil
        }
    }

    private func status(of url: String) async throws -> (status: Int, body: String) {
        let call = HTTPCall(method: "GET", target: try #require(HTTPTarget(url)))
        let answer = try await HTTPCaller().send(call, within: .seconds(20))
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    @Test(
        "E2E-1 encrypted streams are seen and heard with the same passphrase, and a wrong one is reported",
        .timeLimit(.minutes(2)))
    func passphrases() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            let bob = try await relay.join("Bob")
            let eve = try await relay.join("Eve")
            let mallory = try await relay.join("Mallory")
            try await ada.setEncryptionSecret("correct horse")
            try await bob.setEncryptionSecret("correct horse")
            try await eve.setEncryptionSecret("wrong horse")
            var settings = TestSource.settings
            settings.video?.simulcast = true
            let publisher = Publisher(settings)
            let stream = try await ada.publish(publisher)
            let source = TestSource(publisher)
            let seen = try await SessionMediaTests.subscribe(bob, to: stream)
            #expect(bob.streams[stream]?.isEncrypted == true)
            let audio = seen.canvas.audio(limit: 200)
            let counters = await SessionMediaTests.counters(seen, 45, "45 frames")
            #expect(counters == counters.sorted() && counters.count >= 45)
            let tone = await first(of: audio, "the tone") { ToneDetector.holds(TestSource.tone, in: $0) ? true : nil }
            #expect(tone == true)

            // A wrong secret and no secret: an event, no frame, no audio.
            for (session, expected) in [(eve, EncryptionFailure.wrongSecret), (mallory, .noSecret)] {
                let keyFrames = await publisher.statistics.keyFrames
                async let failure = Self.events(session, of: stream)
                let blind = try await SessionMediaTests.subscribe(session, to: stream)
                #expect(await failure == expected)
                let statistics = await blind.statistics
                #expect(statistics.framesDecoded == 0 && statistics.audioPackets == 0)
                #expect(await publisher.statistics.keyFrames <= keyFrames + 3)
            }
            // The right secret afterwards.
            try await eve.setEncryptionSecret("correct horse")
            let late = try #require(eve.subscribers[stream])
            #expect(await SessionMediaTests.counters(late, 10, "10 frames after the right secret").count >= 10)
            #expect(source.count > 45)

            let still = try await status(of: "\(relay.url)/v1/sessions/room/streams/\(stream)/canvas.png")
            #expect(still.status == 409 && still.body.contains("streamEncrypted"))
            let live = try await status(of: "\(relay.url)/v1/sessions/room/streams/\(stream)/live.webm")
            #expect(live.status == 409 && live.body.contains("streamEncrypted"))
            let programme = try await status(of: "\(relay.url)/v1/sessions/room/live.webm")
            #expect(programme.status == 409 && programme.body.contains("streamEncrypted"))
            for session in [ada, bob, eve, mallory] { await session.disconnect() }
        }
    }

    private func join(_ name: String, _ relay: RelayUnderTest, agreesOnKeys: Bool = true) async throws -> Session {
        var configuration = SessionConfiguration()
        configuration.localAddress = "127.0.0.1"
        let session = Session(
            url: relay.url, token: try await relay.token(identity: name, canHost: true), configuration: configuration)
        var options = JoinOptions()
        options.agreesOnKeys = agreesOnKeys
        try await session.connect(name: name, options: options)
        return session
    }

    /// Waits until all sessions have the same safety number, other than the former one.
    private func agreed(_ sessions: [Session], after former: String?) async throws -> String {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        for _ in 0..<400 {
            let numbers = Set(sessions.map(\.safetyNumber))
            if numbers.count == 1, let number = numbers.first ?? nil, number != former { return number }
            try await loop.scheduleTask(in: .milliseconds(50)) {}.futureResult.get()
        }
        Issue.record("no agreement")
        return ""
    }

    @Test(
        "E2E-3 participants agree on keys without a passphrase, and on new ones when somebody joins or leaves",
        .timeLimit(.minutes(2)))
    func agreement() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await join("Ada", relay)
            let bob = try await join("Bob", relay)
            await #expect(throws: SessionError.self) { try await ada.setEncryptionSecret("correct horse") }
            let publisher = Publisher(TestSource.settings)
            let stream = try await ada.publish(publisher)
            let source = TestSource(publisher)
            let ofTwo = try await agreed([ada, bob], after: nil)
            #expect(ofTwo.split(separator: " ").map(\.count) == Array(repeating: 5, count: 12))
            let seen = try await SessionMediaTests.subscribe(bob, to: stream)
            #expect(bob.streams[stream]?.isEncrypted == true)
            let audio = seen.canvas.audio(limit: 200)
            #expect(await SessionMediaTests.counters(seen, 20, "20 frames").count >= 20)
            let tone = await first(of: audio, "the tone") { ToneDetector.holds(TestSource.tone, in: $0) ? true : nil }
            #expect(tone == true)

            // Without the option nothing can be decrypted.
            let eve = try await join("Eve", relay, agreesOnKeys: false)
            async let failure = Self.events(eve, of: stream)
            let blind = try await SessionMediaTests.subscribe(eve, to: stream)
            #expect(await failure == .noSecret)
            #expect(await blind.statistics.framesDecoded == 0)
            #expect(eve.safetyNumber == nil)

            let carol = try await join("Carol", relay)
            let ofThree = try await agreed([ada, bob, carol], after: ofTwo)
            let late = try await SessionMediaTests.subscribe(carol, to: stream)
            #expect(await SessionMediaTests.counters(late, 10, "10 frames of Carol").count >= 10)
            await bob.disconnect()
            let ofTheRest = try await agreed([ada, carol], after: ofThree)
            #expect(ofTheRest != ofTwo)
            // Longer than the sender waits until it uses the new key.
            #expect(await SessionMediaTests.counters(late, 45, "45 frames after Bob left").count >= 45)
            #expect(source.count > 45)
            for session in [ada, carol, eve] { await session.disconnect() }
        }
    }

    @Test("E2E-1 a session that requires encryption refuses streams without", .timeLimit(.minutes(1)))
    func required() async throws {
        try await RelayUnderTest.run { relay in
            let token = try await relay.token(identity: "Ada", canHost: true)
            var configuration = SessionConfiguration()
            configuration.localAddress = "127.0.0.1"
            let ada = Session(url: relay.url, token: token, configuration: configuration)
            var options = JoinOptions()
            options.requiresEncryption = true
            try await ada.connect(name: "Ada", options: options)
            #expect(ada.requiresEncryption)
            let publisher = Publisher(TestSource.settings)
            await #expect(throws: SessionError.self) { try await ada.publish(publisher) }
            try await ada.setEncryptionKey(Array(repeating: 7, count: 32))
            let stream = try await ada.publish(publisher)
            #expect(publisher.stream == stream)
            await #expect(throws: SessionError.self) { try await ada.setEncryptionKey([1]) }
            await ada.disconnect()
        }
    }
}
