import MediaBase
import MillraceClient
import NIOConcurrencyHelpers
import Signaling
import TestMedia
import Testing

@Suite("SDK and relay: media", .serialized) struct SessionMediaTests {
    /// Returns `count` of the frame numbers that are drawn into the received video.
    static func counters(_ subscriber: Subscriber, _ count: Int, _ what: String) async -> [UInt32] {
        let counters = NIOLockedValueBox<[UInt32]>([])
        _ = await first(of: subscriber.canvas.frames(limit: 100), within: 30, what) { frame -> Bool? in
            guard let bar = FrameBar.read(from: frame) else { return nil }
            return counters.withLockedValue { counters in
                counters.append(bar.counter)
                return counters.count >= count ? true : nil
            }
        }
        return counters.withLockedValue { $0 }
    }

    static func subscribe(_ session: Session, to stream: StreamID) async throws -> Subscriber {
        if session.streams[stream] == nil {
            _ = await first(of: session.events, "the stream") { event -> Bool? in
                if case .streamCreated(let created) = event, created.id == stream { return true }
                return session.streams[stream] == nil ? nil : true
            }
        }
        return try await session.subscribe(to: stream)
    }

    @Test(
        "STR-1 STR-2 STR-3 CAN-1 a subscriber receives the video and audio of a published stream",
        .timeLimit(.minutes(2)))
    func seenAndHeard() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            let bob = try await relay.join("Bob")
            let bobsEvents = bob.events
            let publisher = Publisher(TestSource.settings)
            let publisherEvents = publisher.events
            let stream = try await ada.publish(publisher)
            let source = TestSource(publisher)
            _ = await first(of: publisherEvents, "created") { $0 == .created(stream) ? true : nil }
            let created = await first(of: bobsEvents, "stream created") { event -> StreamInfo? in
                if case .streamCreated(let info) = event { return info }
                return nil
            }
            #expect(created?.id == stream && created?.connection == ada.connection)
            #expect(created?.name == "test video" && created?.hasAudio == true && created?.hasVideo == true)
            #expect(bob.streams[stream]?.width == TestSource.width)
            let subscriber = try await bob.subscribe(to: stream)
            let connected = subscriber.events
            let audio = subscriber.canvas.audio(limit: 200)
            let counters = await Self.counters(subscriber, 45, "45 frames")
            #expect(counters == counters.sorted())
            #expect(counters.count >= 45)
            // Only the encoder may skip frames on the way.
            if let low = counters.first, let high = counters.last { #expect(high - low < 60) }
            #expect(subscriber.isConnected || connected.poll() == .connected)
            let heard = NIOLockedValueBox(0)
            _ = await first(of: audio, "the tone") { block -> Bool? in
                guard ToneDetector.holds(TestSource.tone, in: block) else { return nil }
                return heard.withLockedValue { heard in
                    heard += 1
                    return heard >= 50 ? true : nil
                }
            }
            #expect(heard.withLockedValue { $0 } >= 50)
            let statistics = await subscriber.statistics
            #expect(statistics.framesDecoded >= 45 && statistics.audioPackets > 50)
            #expect(statistics.width == TestSource.width && statistics.height == TestSource.height)
            let sent = await publisher.statistics
            #expect(sent.framesEncoded >= 45 && (sent.transport?.sentPackets ?? 0) > 100)
            let told = try await bob.statistics()
            #expect(told.subscribed.contains { $0.stream == stream && $0.kind == .video && $0.packets > 0 })

            let ended = subscriber.events
            try await ada.unpublish(publisher)
            _ = await first(of: ended, "the end") { event -> Bool? in
                if case .ended(.unpublished) = event { return true }
                return nil
            }
            #expect(bob.streams.isEmpty)
            #expect(source.count >= 45)
            await bob.disconnect()
            await ada.disconnect()
        }
    }

    @Test(
        "STR-1 one peer connection publishes camera and screen, and a second camera is refused",
        .timeLimit(.minutes(2)))
    func twoStreams() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            let bob = try await relay.join("Bob")
            let camera = Publisher(TestSource.settings)
            var settings = TestSource.settings
            settings.videoType = .screen
            settings.audio = nil
            let screen = Publisher(settings)
            let cameraStream = try await ada.publish(camera)
            let cameraSource = TestSource(camera)
            let watching = try await Self.subscribe(bob, to: cameraStream)
            _ = await Self.counters(watching, 5, "the camera's frames")
            let screenStream = try await ada.publish(screen)
            let screenSource = TestSource(screen, audio: false)
            await #expect(throws: SessionError.self) { try await ada.publish(Publisher(TestSource.settings)) }
            let sharing = try await Self.subscribe(bob, to: screenStream)
            _ = await Self.counters(sharing, 10, "the screen's frames")
            _ = await Self.counters(watching, 10, "the camera's frames, still")
            #expect(bob.streams.count == 2)
            await #expect(throws: SessionError.self) { try await bob.subscribe(to: StreamID(rawValue: "elsewhere")) }
            try await bob.unsubscribe(watching)
            #expect(watching.isEnded)
            _ = await Self.counters(sharing, 10, "the screen's frames, still")
            _ = (cameraSource, screenSource)
            await ada.disconnect()
            await bob.disconnect()
        }
    }

    @Test(
        "STR-7 a stream of any codec is announced with it, and an early and a late subscriber decode it",
        .timeLimit(.minutes(2)), arguments: [VideoCodec.h264, .vp9, .av1])
    func codecs(codec: VideoCodec) async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            let bob = try await relay.join("Bob")
            var settings = TestSource.settings
            settings.video?.codec = codec
            let publisher = Publisher(settings)
            let stream = try await ada.publish(publisher)
            let source = TestSource(publisher)
            let early = try await Self.subscribe(bob, to: stream)
            let audio = early.canvas.audio(limit: 200)
            let counters = await Self.counters(early, 30, "30 frames")
            #expect(counters == counters.sorted() && counters.count >= 30)
            if let low = counters.first, let high = counters.last { #expect(high - low < 45) }
            #expect(bob.streams[stream]?.codec == codec.rawValue)
            let tone = await first(of: audio, "the tone") { ToneDetector.holds(TestSource.tone, in: $0) ? true : nil }
            #expect(tone == true)
            let eve = try await relay.join("Eve")
            let late = try await Self.subscribe(eve, to: stream)
            #expect(await Self.counters(late, 10, "10 frames").count >= 10)
            let statistics = await late.statistics
            #expect(statistics.framesDamaged == 0 && statistics.keyFrames >= 1)
            #expect(statistics.width == TestSource.width && statistics.height == TestSource.height)
            _ = source
            for session in [ada, bob, eve] { await session.disconnect() }
        }
    }

    @Test("STR-7 a subscription continues when its stream returns in another codec", .timeLimit(.minutes(2)))
    func anotherCodec() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            let bob = try await relay.join("Bob")
            for codec in [VideoCodec.vp9, .h264, .vp8] {
                var settings = TestSource.settings
                settings.video?.codec = codec
                let publisher = Publisher(settings)
                let stream = try await ada.publish(publisher)
                let source = TestSource(publisher)
                let subscriber = try await Self.subscribe(bob, to: stream)
                #expect(await Self.counters(subscriber, 5, "frames of \(codec)").count >= 5)
                _ = source
                try await ada.unpublish(publisher)
            }
            for session in [ada, bob] { await session.disconnect() }
        }
    }

    @Test("STR-7 codecs that cannot be published are refused before an offer is made", .timeLimit(.minutes(2)))
    func refusedCodecs() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            func refusal(_ change: (inout PublisherSettings.Video) -> Void) async -> SessionError? {
                var settings = TestSource.settings
                change(&settings.video!)
                do throws(SessionError) {
                    try await ada.publish(Publisher(settings))
                    return nil
                } catch {
                    return error
                }
            }
            for codec in [VideoCodec.vp9, .av1] {
                let error = await refusal {
                    $0.codec = codec
                    $0.simulcast = true
                }
                #expect(error?.code == .invalidField && error?.details.field == "simulcast")
            }
            try await ada.setEncryptionSecret("correct horse")
            for codec in [VideoCodec.h264, .vp9, .av1] {
                let error = await refusal { $0.codec = codec }
                #expect(error?.code == .codecMismatch && error?.details.field == "codec")
            }
            #expect(ada.streams.isEmpty && ada.publishers.isEmpty)
            await ada.disconnect()
        }
    }

    @Test(
        "STR-3 simulcast: a subscriber that prefers a small frame size receives it", .timeLimit(.minutes(2)),
        arguments: [VideoCodec.vp8, .h264])
    func simulcast(codec: VideoCodec) async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            let bob = try await relay.join("Bob")
            var settings = TestSource.settings
            settings.video?.simulcast = true
            settings.video?.codec = codec
            settings.video?.bitrate = .kilobits(1_000)
            let publisher = Publisher(settings)
            let stream = try await ada.publish(publisher)
            let source = TestSource(publisher)
            let subscriber = try await Self.subscribe(bob, to: stream)
            _ = await first(of: subscriber.canvas.frames(), "a whole frame") { frame -> Bool? in
                frame.width == TestSource.width ? true : nil
            }
            try await subscriber.setPreferences(SubscriptionPreferences(width: 80, height: 44))
            _ = await first(of: subscriber.canvas.frames(), "a small frame") { frame -> Bool? in
                frame.width <= 80 ? true : nil
            }
            _ = source
            await ada.disconnect()
            await bob.disconnect()
        }
    }
}
