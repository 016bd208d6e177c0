import MediaBase
import MillraceClient
import Signaling
import TestMedia
import Testing

@Suite("SDK and relay: join options for audio and video", .serialized) struct JoinOptionsTests {
    private static func join(_ relay: RelayUnderTest, _ name: String, _ options: JoinOptions) async throws -> Session {
        var configuration = SessionConfiguration()
        configuration.localAddress = "127.0.0.1"
        let session = Session(
            url: relay.url, token: try await relay.token(identity: name), configuration: configuration)
        try await session.connect(name: name, options: options)
        return session
    }

    @Test(
        "SES-8 the relay enforces the largest received size, and sends no audio to a client that turned it off",
        .timeLimit(.minutes(2)))
    func received() async throws {
        try await RelayUnderTest.run { relay in
            var options = JoinOptions()
            options.audio.isReceived = false
            options.video.maximumHeight = TestSource.height / 2
            let ada = try await relay.join("Ada", canHost: true)
            let bob = try await Self.join(relay, "Bob", options)
            let cai = try await relay.join("Cai")
            var settings = TestSource.settings
            settings.video?.simulcast = true
            settings.video?.bitrate = .kilobits(1_000)
            let publisher = Publisher(settings)
            let stream = try await ada.publish(publisher)
            let source = TestSource(publisher)
            let bounded = try await SessionMediaTests.subscribe(bob, to: stream)
            let whole = try await SessionMediaTests.subscribe(cai, to: stream)
            let frames = bounded.canvas.frames(limit: 1_000)
            // Another subscriber receives the full size, so the relay has a larger encoding to withhold from Bob.
            _ = await first(of: whole.canvas.frames(), within: 30, "a frame of the whole size") { frame -> Bool? in
                frame.width == TestSource.width ? true : nil
            }
            // Bob's own preferences do not lift the limit.
            try await bounded.setPreferences(
                SubscriptionPreferences(width: TestSource.width, height: TestSource.height))
            _ = await SessionMediaTests.counters(whole, 45, "3 s of frames")
            var heights: [Int] = []
            while let frame = frames.poll() { heights.append(frame.height) }
            #expect(heights.count >= 30 && heights.max() ?? 0 <= TestSource.height / 2, "\(Set(heights))")
            #expect(await bounded.statistics.audioPackets == 0)
            #expect(await whole.statistics.audioPackets > 0)
            _ = source
            for session in [ada, bob, cai] { await session.disconnect() }
        }
    }

    @Test(
        "SES-8 a camera that joins with its audio off is muted at the relay until it unmutes", .timeLimit(.minutes(2)))
    func published() async throws {
        try await RelayUnderTest.run { relay in
            var options = JoinOptions()
            options.audio.isOn = false
            let ada = try await Self.join(relay, "Ada", options)
            let bob = try await relay.join("Bob")
            let publisher = Publisher(TestSource.settings)
            let stream = try await ada.publish(publisher)
            let source = TestSource(publisher)
            #expect(publisher.isAudioMuted && !publisher.isVideoMuted)
            let subscriber = try await SessionMediaTests.subscribe(bob, to: stream)
            _ = await SessionMediaTests.counters(subscriber, 15, "frames")
            #expect(bob.streams[stream]?.isAudioMuted == true && bob.streams[stream]?.isVideoMuted == false)
            #expect(await subscriber.statistics.audioPackets == 0)
            let audio = subscriber.canvas.audio(limit: 200)
            try await publisher.setMuted(.audio, false)
            _ = await first(of: audio, "the tone") { block -> Bool? in
                ToneDetector.holds(TestSource.tone, in: block) ? true : nil
            }
            #expect(!publisher.isAudioMuted && bob.streams[stream]?.isAudioMuted == false)
            _ = source
            await ada.disconnect()
            await bob.disconnect()
        }
    }
}
