import Codecs
import MediaBase
import NIOConcurrencyHelpers
import Testing

@testable import MillraceClient

@Suite("Encoding pipelines") struct PipelineTests {
    private final class Output: Sendable {
        let media = NIOLockedValueBox<[EncodedMedia]>([])
        func add(_ media: EncodedMedia) { self.media.withLockedValue { $0.append(media) } }
        var count: Int { media.withLockedValue { $0.count } }

        /// Waits until `count` items are there, for at most 10 s.
        func wait(for count: Int) { wait { $0.count >= count } }

        /// Waits until a condition holds, for at most 10 s.
        func wait(until holds: ([EncodedMedia]) -> Bool) {
            let deadline = ContinuousClock.now + .seconds(10)
            while !holds(media.withLockedValue { $0 }), ContinuousClock.now < deadline {}
        }
    }

    @Test(
        "STR-1 audio in blocks of any length becomes packets of 20 ms, with times from its sample count",
        arguments: [1, 2])
    func audio(channels: Int) {
        let output = Output()
        let pipeline = AudioPipeline(.init(channels: channels), output: { output.add($0) }, failure: { _ in })
        // A paused pipeline produces no packets.
        pipeline.push(PCMBlock(channels: 2, samples: Array(repeating: 0, count: 1_920)), time: .seconds(1))
        pipeline.setPaused(false)
        var pushed = 0
        for (number, length) in [100, 4_800, 33, 960, 1, 7_000, 2_500].enumerated() {
            let block = PCMBlock(
                channels: number % 2 + 1, samples: Array(repeating: 9_000, count: length * (number % 2 + 1)))
            pipeline.push(block, time: .seconds(5) + .nanoseconds(Int64(pushed) * 62_500 / 3))
            pushed += length
        }
        output.wait(for: pushed / 960)
        var times: [MediaTime] = []
        for media in output.media.withLockedValue({ $0 }) {
            guard case .audio(let bytes, let level, let time) = media else { continue }
            #expect(!bytes.isEmpty && level < 20)
            times.append(time)
        }
        #expect(times.count == pushed / 960)
        #expect(times.first == .seconds(5))
        for (next, time) in zip(times.dropFirst(), times) { #expect(abs((next - time).milliseconds - 20) < 0.01) }
    }

    @Test("STR-1 simulcast encodes three sizes, with key frames on request") func simulcast() {
        let output = Output()
        let sizes = NIOLockedValueBox<[String]>([])
        let pipeline = VideoPipeline(
            .init(width: 320, height: 176, bitrate: .kilobits(1_000), simulcast: true, speed: 12), audio: .kilobits(0),
            output: { output.add($0) },
            resized: { width, height in sizes.withLockedValue { $0.append("\(width)x\(height)") } },
            failure: { _ in })
        pipeline.setPaused(false)
        for number in 0..<6 {
            if number == 3 { pipeline.requestKeyFrame(encoding: 1) }
            pipeline.push(I420Frame(width: 320, height: 176), time: .milliseconds(Int64(number) * 33))
            output.wait(for: (number + 1) * 3)
        }
        var keys: [Int: [Bool]] = [:]
        for media in output.media.withLockedValue({ $0 }) {
            guard case .video(let encoding, let bytes, let isKeyFrame, _, _) = media else { continue }
            keys[encoding, default: []].append(isKeyFrame)
            guard isKeyFrame, let info = try? VP8FrameInfo(bytes) else { continue }
            #expect(info.width == 80 << encoding)
        }
        #expect(keys[0] == [true, false, false, false, false, false])
        #expect(keys[1] == [true, false, false, true, false, false])
        #expect(keys[2] == [true, false, false, false, false, false])
        #expect(sizes.withLockedValue { $0.isEmpty })
        // On a narrow path the largest encoding is dropped, and resumes with a key frame.
        pipeline.setAvailable(.kilobits(200))
        let before = output.count
        pipeline.push(I420Frame(width: 320, height: 176), time: .seconds(1))
        output.wait(for: before + 1)
        pipeline.setAvailable(.kilobits(5_000))
        pipeline.push(I420Frame(width: 640, height: 352), time: .seconds(2))
        output.wait { media in
            if case .video(2, _, _, _, let time) = media.last { time == .seconds(2) } else { false }
        }
        #expect(sizes.withLockedValue { $0 } == ["640x352"])
        let largest = output.media.withLockedValue { $0.dropFirst(before + 1) }.compactMap { media -> Bool? in
            if case .video(2, _, let isKeyFrame, _, _) = media { isKeyFrame } else { nil }
        }
        #expect(largest == [true])
    }
}
