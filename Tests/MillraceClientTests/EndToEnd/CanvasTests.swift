import Containers
import MillraceClient
import NIOConcurrencyHelpers
import NIOPosix
import TestMedia
import Testing

/// Uses only the public interface of the library.
@Suite("SDK and relay: canvas", .serialized) struct CanvasTests {
    @Test("CAN-1 rotated frames arrive upright, with their capture times", .timeLimit(.minutes(2)))
    func rotation() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await relay.join("Ada", canHost: true)
            let bob = try await relay.join("Bob")
            let settings = PublisherSettings(
                name: "phone", audio: nil,
                video: .init(width: 180, height: 320, framesPerSecond: 15, bitrate: .kilobits(400), speed: 12))
            let publisher = Publisher(settings)
            let stream = try await ada.publish(publisher)
            // Frame as a phone's camera delivers it: landscape, with the upper edge on the left.
            let sources = NIOLockedValueBox<UInt32>(0)
            let task = MultiThreadedEventLoopGroup.singleton.any().scheduleRepeatedTask(
                initialDelay: .zero, delay: .milliseconds(66)
            ) { _ in
                let number = sources.withLockedValue { number in
                    number += 1
                    return number
                }
                var frame = I420Frame(width: 320, height: 180)
                // The right third is bright; in the upright frame it is the lower third.
                for y in 0..<180 { for x in 214..<320 { frame.bytes[y * 320 + x] = 220 } }
                frame.rotation = .quarter
                frame.captureTime = .seconds(1) + .milliseconds(Int64(number) * 66)
                publisher.push(frame)
            }
            let subscriber = try await SessionMediaTests.subscribe(bob, to: stream)
            let times = NIOLockedValueBox<[MediaTime]>([])
            let seen = await first(of: subscriber.canvas.frames(limit: 50), "frames") { frame -> I420Frame? in
                times.withLockedValue { times in
                    times.append(frame.captureTime)
                    return times.count > 30 ? frame : nil
                }
            }
            task.cancel()
            if let seen {
                #expect(seen.width == 180 && seen.height == 320 && seen.rotation == .none)
                let (upper, lower) = (seen.bytes[40 * 180 + 90], seen.bytes[290 * 180 + 90])
                #expect(upper < 60 && lower > 180)
            }
            // Capture times are known after the publisher's first sender report.
            let known = times.withLockedValue { Array($0.suffix(8)) }
            let gaps = zip(known.dropFirst(), known).map { $0 - $1 }
            #expect(gaps.allSatisfy { $0 > .zero && $0 < .seconds(1) }, "\(known)")
            #expect(bob.streams[stream]?.width == 180 && bob.streams[stream]?.height == 320)
            await ada.disconnect()
            await bob.disconnect()
        }
    }

    @Test(
        "CAN-2 the Swift interface delivers stills, frames and audio, which are written to files",
        .timeLimit(.minutes(2)))
    func files() async throws {
        try await RelayUnderTest.run { relay in
            let call = try await relay.call()
            let (ada, bob, subscriber) = (call.ada, call.bob, call.subscriber)
            // Readers are independent, each with its own pace: this one takes a single frame.
            let slow = subscriber.canvas.frames(limit: 1)
            let (frames, audio) = (subscriber.canvas.frames(limit: 50), subscriber.canvas.audio(limit: 200))
            let video = MemorySink()
            let writer = try Y4MWriter(
                sink: video, header: Y4MHeader(width: TestSource.width, height: TestSource.height, rate: 15))
            var counters: [UInt32] = []
            for await frame in frames {
                try writer.write(frame)
                if let bar = FrameBar.read(from: frame) { counters.append(bar.counter) }
                if writer.frameCount == 20 { break }
            }
            try writer.finish()
            let reader = try Y4MReader(source: MemorySource(video.bytes))
            var read: [UInt32] = []
            while let frame = try reader.next() {
                if let bar = FrameBar.read(from: frame) { read.append(bar.counter) }
            }
            #expect(read == counters && read.count == 20)

            let tone = MemorySink()
            let wav = try WAVWriter(sink: tone)
            for await block in audio {
                try wav.write(block)
                if wav.frameCount >= 48_000 { break }
            }
            try wav.finish()
            #expect(tone.bytes.count >= 48_000 * 4)

            let still = try #require(slow.poll())
            #expect(try PNGWriter.encode(still).starts(with: [0x89, 0x50, 0x4e, 0x47]))
            #expect(slow.dropped > 0 && frames.dropped == 0)
            _ = call.source
            await ada.disconnect()
            await bob.disconnect()
        }
    }
}
