import MillraceClient
import NIOConcurrencyHelpers
import RelayServer
import TestMedia
import Testing

@Suite("Taps of an embedded relay, by its public interface (CAN-4)", .serialized) struct EmbeddedTapTests {
    @Test("CAN-4 the example of the documentation reads a stream's frames", .timeLimit(.minutes(2)))
    func example() async throws {
        try await RelayUnderTest.run { relay in
            let call = try await relay.call()
            _ = await SessionMediaTests.counters(call.subscriber, 5, "frames at a subscriber")
            let means = try await BrightnessMeter(relay: relay.relay).brightness(of: "Room")
            #expect(Array(means.keys) == [call.stream.rawValue])
            // The mean of the test frame is neither black nor white.
            #expect(means.values.allSatisfy { $0 > 20 && $0 < 230 }, "\(means)")
            _ = call.source
            await call.ada.disconnect()
            await call.bob.disconnect()
        }
    }

    @Test("CAN-4 audio and frames arrive until the stream ends, and are counted", .timeLimit(.minutes(2)))
    func untilTheEnd() async throws {
        try await RelayUnderTest.run { relay in
            let call = try await relay.call()
            _ = await SessionMediaTests.counters(call.subscriber, 5, "frames at a subscriber")
            let streams = try await relay.relay.streams(session: "room")
            let stream = try #require(streams.first)
            #expect(streams.count == 1 && stream.id == call.stream.rawValue && stream.hasAudio && stream.hasVideo)
            #expect(stream.width == TestSource.width && stream.height == TestSource.height)
            let tap = try await relay.relay.tap(session: "room", stream: stream.id)
            let frames = Task { () -> Int in
                var count = 0
                for await frame in tap.frames where frame.width == TestSource.width { count += 1 }
                return count
            }
            var heard = 0
            for await block in tap.audio {
                if ToneDetector.holds(TestSource.tone, in: block) { heard += 1 }
                if heard >= 50 { break }
            }
            #expect(heard >= 50)
            try await call.ada.unpublish(call.publisher)
            await tap.ended()
            let seen = await frames.value
            let statistics = tap.statistics
            #expect(seen >= 10 && statistics.decodedFrames >= UInt64(seen) && statistics.audioBlocks >= 50)
            #expect(!statistics.isUndecodable && statistics.decodeErrors == 0)
            await call.ada.disconnect()
            await call.bob.disconnect()
        }
    }

    @Test("CAN-4 a tap that cannot be opened fails with an error that names the cause")
    func refused() async throws {
        let stopped = Relay(configuration: RelayConfiguration())
        await #expect(throws: TapError.notRunning) { try await stopped.tap(session: "room", stream: "a") }
        await #expect(throws: TapError.notRunning) { try await stopped.streams(session: "room") }
        try await RelayUnderTest.run { relay in
            let relay = relay.relay
            await #expect(throws: TapError.unknownSession("room")) { try await relay.tap(session: "room", stream: "a") }
            await #expect(throws: TapError.unknownSession("room")) {
                try await relay.tap(session: "room", stream: "a", app: "other")
            }
            var options = TapOptions()
            options.audio = false
            options.video = false
            await #expect(throws: TapError.nothingWanted) {
                try await relay.tap(session: "room", stream: "a", options: options)
            }
            let error = await #expect(throws: TapError.self) { try await relay.streams(session: "a\u{7}") }
            guard case .invalidSession = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
