import Codecs
import Foundation
import MediaBase
import MillraceTestKit
import NIOConcurrencyHelpers
import RTP
import Testing

@testable import MillraceClient

@Suite("Playout: packets to audio and frames") struct PlayoutTests {
    /// Tone of 400 Hz; one period is 120 samples.
    private static func tone(from start: Int, count: Int) -> PCMBlock {
        var samples: [Int16] = []
        for place in start..<(start + count) {
            let value = Int16(8_000 * sin(2 * .pi * Double(place) / 120))
            samples += [value, value]
        }
        return PCMBlock(channels: 2, samples: samples)
    }

    private static func loudness(_ block: PCMBlock) -> Double {
        let energy = block.samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        return (energy / Double(max(1, block.samples.count))).squareRoot()
    }

    @Test("CAN-1 a tone over a lossy path plays without gaps", arguments: [0.0, 0.05, 0.15])
    func sound(loss: Double) throws {
        var random = SeededGenerator(seed: 11)
        let encoder = try OpusEncoder(application: .voice, bitrate: .kilobits(48), fec: true, expectedLoss: 15)
        let playout = try AudioPlayout(JitterBuffer.Configuration())
        var arrivals: [(at: MediaTime, number: Int, payload: [UInt8])] = []
        for number in 0..<500 {
            let payload = try encoder.encode(Self.tone(from: number * 960, count: 960))
            if Double.random(in: 0..<1, using: &random) < loss { continue }
            let delay = MediaTime.microseconds(.random(in: 20_000...50_000, using: &random))
            arrivals.append((.milliseconds(Int64(number) * 20) + delay, number, payload))
        }
        arrivals.sort { $0.at < $1.at }
        var blocks: [PCMBlock] = []
        var next = 0
        while next < arrivals.count {
            let now = min(arrivals[next].at, playout.deadline)
            if playout.deadline <= arrivals[next].at {
                playout.handleTimeout(now: now) { blocks.append($0) }
                continue
            }
            let arrival = arrivals[next]
            next += 1
            arrival.payload.withUnsafeBytes {
                playout.insert(
                    sequence: Int64(arrival.number),
                    timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: 4_294_960_000 + arrival.number * 960)),
                    payload: $0, captureTime: .seconds(1_000) + .milliseconds(Int64(arrival.number) * 20), now: now)
            }
        }
        let frames = blocks.reduce(0) { $0 + $1.frameCount }
        #expect(frames > 480 * 960)
        let nominal = 8_000 / 2.0.squareRoot()
        // Skips the first blocks, which contain the codec's delay and the growing buffer.
        let audible = blocks.dropFirst(10).count { Self.loudness($0) > nominal * 0.5 }
        // Concealed audio fades out, and the audio after it fades in.
        #expect(Double(audible) > Double(blocks.count - 10) * 0.97 * (1 - 2 * loss))
        #expect(playout.damaged == 0)
        if loss > 0 { #expect(playout.concealed > UInt64(500 * loss * 0.6)) }
        // Capture times are those of the sender, and increase.
        let times = blocks.dropFirst(20).map(\.captureTime)
        #expect(times.allSatisfy { $0 > .seconds(1_000) && $0 < .seconds(1_011) })
        #expect(times == times.sorted())
    }

    @Test("CAN-1 frames are delivered whole and in order; a loss causes a key frame request") func pictures() throws {
        let encoder = try VP8Encoder(VP8EncoderConfiguration(width: 160, height: 96, bitrate: .kilobits(400)))
        var packetizer = VP8Packetizer(maximumPayloadLength: 300)
        let playout = VideoPlayout()
        let seen = NIOLockedValueBox<[MediaTime]>([])
        var random = SeededGenerator(seed: 5)
        var frames: [EncodedPicture] = []
        var asked = 0
        var sequence: Int64 = 65_000
        var now = MediaTime.zero
        for number in 0..<120 {
            var frame = I420Frame(width: 160, height: 96)
            for place in frame.yRange { frame.bytes[place] = UInt8(truncatingIfNeeded: place / 7 + number * 5) }
            let isAnswer = asked > 0 && number % 10 == 0
            guard
                let encoded = try encoder.encode(frame, timestamp: Int64(number) * 3_000, forceKeyFrame: isAnswer)
            else { continue }
            let payloads = packetizer.payloads(of: encoded.bytes)
            var packets = Array(payloads.enumerated())
            // Packets are reordered within a frame, and one frame loses a packet.
            packets.shuffle(using: &random)
            for (place, payload) in packets where !(number == 40 && place == 0) {
                payload.withUnsafeBytes {
                    playout.insert(
                        sequence: sequence + Int64(place), timestamp: RTPTimestamp(UInt32(number * 3_000)),
                        marker: place == payloads.count - 1, payload: $0,
                        captureTime: .seconds(9) + .microseconds(Int64(number) * 33_333), now: now)
                }
            }
            sequence += Int64(payloads.count)
            now += .milliseconds(33)
            if playout.take(now: now, { frames.append($0) }) { asked += 1 }
        }
        #expect(asked >= 1)
        #expect(playout.keyFrames >= 2)
        #expect(playout.width == 160 && playout.height == 96)
        let decoder = try VPXDecoder()
        for frame in frames {
            if let picture = try decoder.decode(frame.bytes, captureTime: frame.captureTime) {
                seen.withLockedValue { $0.append(picture.captureTime) }
            }
        }
        let times = seen.withLockedValue { $0 }
        #expect(times.count > 90)
        #expect(times == times.sorted() && times.allSatisfy { $0 >= .seconds(9) && $0 < .seconds(14) })
    }

    @Test("CAN-3 a rotation applies from the packet that signals it until the next one; frames are delivered upright")
    func rotation() throws {
        let encoder = try VP8Encoder(VP8EncoderConfiguration(width: 64, height: 32, bitrate: .kilobits(200)))
        var packetizer = VP8Packetizer(maximumPayloadLength: 1_000)
        let playout = VideoPlayout()
        var frames: [EncodedPicture] = []
        for (number, rotation) in ([nil, .quarter, nil, .some(.none)] as [Rotation?]).enumerated() {
            guard
                let encoded = try encoder.encode(
                    I420Frame(width: 64, height: 32), timestamp: Int64(number) * 3_000, forceKeyFrame: number == 0)
            else { continue }
            let payloads = packetizer.payloads(of: encoded.bytes)
            #expect(payloads.count == 1)
            payloads[0].withUnsafeBytes {
                playout.insert(
                    sequence: Int64(number), timestamp: RTPTimestamp(UInt32(number * 3_000)), marker: true, payload: $0,
                    rotation: rotation, captureTime: nil, now: .zero)
            }
            _ = playout.take(now: .zero) { frames.append($0) }
        }
        #expect(frames.map(\.rotation) == [.none, .quarter, .quarter, .none])
        let sizes = NIOLockedValueBox<[Int]>([])
        let done = DispatchSemaphore(value: 0)
        let last = frames.last?.captureTime
        let decoder = PictureDecoder { frame in
            sizes.withLockedValue { $0.append(frame.width) }
            if frame.captureTime == last { done.signal() }
        } needsKeyFrame: {
        }
        for frame in frames { decoder.add(frame) }
        #expect(done.wait(timeout: .now() + 20) == .success)
        #expect(sizes.withLockedValue { $0 } == [64, 32, 32, 64])
    }

    @Test("CAN-1 a decoder that falls behind drops frames up to a key frame, and reports it")
    func slowDecoder() throws {
        let encoder = try VP8Encoder(VP8EncoderConfiguration(width: 64, height: 64, bitrate: .kilobits(200)))
        let asked = NIOLockedValueBox(0)
        let pictures = NIOLockedValueBox(0)
        let decoder = PictureDecoder { _ in
            pictures.withLockedValue { $0 += 1 }
        } needsKeyFrame: {
            asked.withLockedValue { $0 += 1 }
        }
        for number in 0..<2_000 {
            let frame = I420Frame(width: 64, height: 64)
            if let encoded = try encoder.encode(frame, timestamp: Int64(number) * 3_000, forceKeyFrame: number == 0) {
                // Every 50th frame is damaged.
                let bytes = number % 50 == 49 ? [1, 2, 3] : encoded.bytes
                decoder.add(
                    EncodedPicture(
                        bytes: bytes, isKeyFrame: encoded.isKeyFrame, captureTime: .milliseconds(Int64(number))))
            }
        }
        let deadline = ContinuousClock.now + .seconds(10)
        while asked.withLockedValue({ $0 }) == 0 || pictures.withLockedValue({ $0 }) == 0,
            ContinuousClock.now < deadline
        {}
        #expect(asked.withLockedValue { $0 } > 0)
        #expect(pictures.withLockedValue { $0 } > 0)
    }
}
