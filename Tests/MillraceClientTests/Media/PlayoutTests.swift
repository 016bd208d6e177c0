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
        for index in start..<(start + count) {
            let value = Int16(8_000 * sin(2 * .pi * Double(index) / 120))
            samples += [value, value]
        }
        return PCMBlock(channels: 2, samples: samples)
    }

    private static func loudness(_ block: PCMBlock) -> Double {
        let energy = block.samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        return (energy / Double(max(1, block.samples.count))).squareRoot()
    }

    @Test("CAN-1 a tone over a lossy path plays without gaps", arguments: [0.0, 0.05, 0.15])
    func audio(loss: Double) throws {
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

    @Test("CAN-1 frames are delivered whole and in order; a loss causes a key frame request") func frames() throws {
        let encoder = try VP8Encoder(VP8EncoderConfiguration(width: 160, height: 96, bitrate: .kilobits(400)))
        var packetizer = VP8Packetizer(maximumPayloadLength: 300)
        let playout = VideoPlayout()
        let seen = NIOLockedValueBox<[MediaTime]>([])
        var random = SeededGenerator(seed: 5)
        var frames: [EncodedFrame] = []
        var asked = 0
        var sequence: Int64 = 65_000
        var now = MediaTime.zero
        for number in 0..<120 {
            var frame = I420Frame(width: 160, height: 96)
            for index in frame.yRange { frame.bytes[index] = UInt8(truncatingIfNeeded: index / 7 + number * 5) }
            let isAnswer = asked > 0 && number % 10 == 0
            guard
                let encoded = try encoder.encode(frame, timestamp: Int64(number) * 3_000, forceKeyFrame: isAnswer)
            else { continue }
            let payloads = packetizer.payloads(of: encoded.bytes)
            var packets = Array(payloads.enumerated())
            // Packets are reordered within a frame, and one frame loses a packet.
            packets.shuffle(using: &random)
            for (index, payload) in packets where !(number == 40 && index == 0) {
                payload.withUnsafeBytes {
                    playout.insert(
                        sequence: sequence + Int64(index), timestamp: RTPTimestamp(UInt32(number * 3_000)),
                        marker: index == payloads.count - 1, payload: $0,
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
            if let decoded = try decoder.decode(frame.bytes, captureTime: frame.captureTime) {
                seen.withLockedValue { $0.append(decoded.captureTime) }
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
        var frames: [EncodedFrame] = []
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
        let decoder = FrameDecoder { frame in
            sizes.withLockedValue { $0.append(frame.width) }
            if frame.captureTime == last { done.signal() }
        } needsKeyFrame: {
        }
        for frame in frames { decoder.add(frame) }
        #expect(done.wait(timeout: .now() + 20) == .success)
        #expect(sizes.withLockedValue { $0 } == [64, 32, 32, 64])
    }

    /// Encoded frames of a codec with their payloads, the first one a key frame.
    private static func encoded(_ codec: VideoCodec, count: Int, width: Int = 160, keyFrames: Set<Int> = []) throws
        -> [(frame: EncodedVideoFrame, payloads: [[UInt8]])]
    {
        let encoder = try VideoEncoder(
            codec, VideoEncoderConfiguration(width: width, height: 96, bitrate: .kilobits(600), speed: 12))
        var packetizer = VideoPacketizer(codec, maximumPayloadLength: 300)
        var frames: [(frame: EncodedVideoFrame, payloads: [[UInt8]])] = []
        for number in 0..<count {
            var frame = I420Frame(width: width, height: 96)
            for index in frame.yRange { frame.bytes[index] = UInt8(truncatingIfNeeded: index / 7 + number * 5) }
            let encoded = try encoder.encode(
                frame, timestamp: Int64(number) * 3_000, forceKeyFrame: keyFrames.contains(number))
            if let encoded { frames.append((encoded, try packetizer.payloads(of: encoded.bytes))) }
        }
        return frames
    }

    private static func insert(
        _ codec: VideoCodec, _ payloads: [[UInt8]], into playout: VideoPlayout, sequence: Int64, number: Int,
        without lost: Int? = nil, now: MediaTime
    ) {
        for (index, payload) in payloads.enumerated() where index != lost {
            payload.withUnsafeBytes {
                playout.insert(
                    codec, sequence: sequence + Int64(index), timestamp: RTPTimestamp(UInt32(number * 3_000)),
                    marker: index == payloads.count - 1, payload: $0, captureTime: nil, now: now)
            }
        }
    }

    @Test(
        "STR-7 a lost packet of any codec leads to a key frame request, and the frames from the key frame on are decoded",
        arguments: VideoCodec.allCases)
    func loss(codec: VideoCodec) throws {
        let playout = VideoPlayout()
        let decoder = try VideoDecoder(codec)
        let frames = try Self.encoded(codec, count: 40, keyFrames: [25])
        #expect(frames.count == 40)
        var (sequence, now, asked, decoded) = (Int64(65_500), MediaTime.zero, [Int](), 0)
        for (number, (_, payloads)) in frames.enumerated() {
            Self.insert(
                codec, payloads, into: playout, sequence: sequence, number: number, without: number == 10 ? 0 : nil,
                now: now)
            sequence += Int64(payloads.count)
            now += .milliseconds(33)
            var frames: [EncodedFrame] = []
            if playout.take(now: now, { frames.append($0) }) { asked.append(number) }
            for frame in frames {
                #expect(frame.codec == codec)
                #expect(try decoder.decode(frame.bytes) != nil)
                decoded += 1
            }
        }
        // After the wait for the missing packet, of 250 ms.
        #expect(asked.count == 1 && (17...19).contains(asked[0]), "\(asked)")
        #expect(decoded == 25 && playout.keyFrames == 2 && playout.lostPackets == 1, "\(decoded)")
        #expect(playout.width == 160 && playout.height == 96)
    }

    @Test(
        "STR-7 a retransmission that arrives in time completes the frames of any codec", arguments: VideoCodec.allCases)
    func retransmission(codec: VideoCodec) throws {
        let playout = VideoPlayout()
        var (sequence, now, count) = (Int64(0), MediaTime.zero, 0)
        var missing: (payload: [UInt8], sequence: Int64)?
        for (number, (_, payloads)) in try Self.encoded(codec, count: 20).enumerated() {
            let lost = number == 10 ? payloads.count - 1 : nil
            Self.insert(codec, payloads, into: playout, sequence: sequence, number: number, without: lost, now: now)
            if let lost { missing = (payloads[lost], sequence + Int64(lost)) }
            if number == 14, let missing {
                missing.payload.withUnsafeBytes {
                    playout.insert(
                        codec, sequence: missing.sequence, timestamp: RTPTimestamp(30_000), marker: true, payload: $0,
                        captureTime: nil, now: now)
                }
            }
            sequence += Int64(payloads.count)
            now += .milliseconds(33)
            #expect(!playout.take(now: now) { _ in count += 1 })
        }
        #expect(count == 20 && playout.lostPackets == 0)
    }

    @Test("STR-7 a track may change its codec and its size; late packets of the former codec are ignored")
    func codecChange() throws {
        let playout = VideoPlayout()
        var (sequence, now, frames) = (Int64(10), MediaTime.zero, [EncodedFrame]())
        var late: [[UInt8]] = []
        for (round, codec) in (VideoCodec.allCases + [.vp8]).enumerated() {
            for (number, (_, payloads)) in try Self.encoded(codec, count: 5, width: 160 + 16 * round).enumerated() {
                Self.insert(
                    codec, payloads, into: playout, sequence: sequence, number: round * 10 + number, now: now)
                sequence += Int64(payloads.count)
                now += .milliseconds(33)
                _ = playout.take(now: now) { frames.append($0) }
                if let former = late.first, number == 1 {
                    Self.insert(
                        VideoCodec.allCases[round - 1], [former], into: playout, sequence: sequence - 9, number: 1,
                        now: now)
                }
                if number == 4 { late = payloads }
            }
            #expect(playout.width == 160 + 16 * round)
        }
        #expect(frames.map(\.codec) == (VideoCodec.allCases + [.vp8]).flatMap { Array(repeating: $0, count: 5) })
        let widths = NIOLockedValueBox<[Int]>([])
        let done = DispatchSemaphore(value: 0)
        let decoder = FrameDecoder { frame in
            if widths.withLockedValue({
                $0.append(frame.width); return $0.count
            }) == 25 {
                done.signal()
            }
        } needsKeyFrame: {
        }
        for frame in frames { decoder.add(frame) }
        #expect(done.wait(timeout: .now() + 20) == .success)
        #expect(widths.withLockedValue { $0 } == (0..<5).flatMap { Array(repeating: 160 + 16 * $0, count: 5) })
    }

    @Test("STR-7 a format that cannot be decoded is reported once, and no key frames are requested for it")
    func undecodable() throws {
        let (asked, failures) = (NIOLockedValueBox(0), NIOLockedValueBox<[CodecError]>([]))
        let frames = NIOLockedValueBox(0)
        let decoder = FrameDecoder { _ in
            frames.withLockedValue { $0 += 1 }
        } needsKeyFrame: {
            asked.withLockedValue { $0 += 1 }
        } undecodable: { error in
            failures.withLockedValue { $0.append(error) }
        }
        // VP9 in profile 1 (4:4:4), and a predicted frame.
        let key: [UInt8] = [0xa2, 0x49, 0x83, 0x42, 0x20, 0x04, 0xf0, 0x02, 0xf0, 0, 0, 0, 0]
        for _ in 0..<3 {
            decoder.add(EncodedFrame(codec: .vp9, bytes: key, isKeyFrame: true, captureTime: .zero))
            decoder.add(EncodedFrame(codec: .vp9, bytes: [0xa6, 0, 0], isKeyFrame: false, captureTime: .zero))
        }
        // A later publisher sends a format that can be decoded.
        let good = try Self.encoded(.vp9, count: 1)[0].frame
        decoder.add(EncodedFrame(codec: .vp9, bytes: good.bytes, isKeyFrame: true, captureTime: .zero))
        let deadline = ContinuousClock.now + .seconds(10)
        while frames.withLockedValue({ $0 }) == 0, ContinuousClock.now < deadline {}
        #expect(frames.withLockedValue { $0 } == 1)
        #expect(asked.withLockedValue { $0 } == 0)
        let reported = failures.withLockedValue { $0 }
        #expect(reported.count == 1, "\(reported)")
        if case .unsupportedFormat(.vp9, _)? = reported.first {} else { Issue.record("\(reported)") }
    }

    @Test("CAN-1 a decoder that falls behind drops frames up to a key frame, and reports it")
    func slowDecoder() throws {
        let encoder = try VP8Encoder(VP8EncoderConfiguration(width: 64, height: 64, bitrate: .kilobits(200)))
        let asked = NIOLockedValueBox(0)
        let frames = NIOLockedValueBox(0)
        let decoder = FrameDecoder { _ in
            frames.withLockedValue { $0 += 1 }
        } needsKeyFrame: {
            asked.withLockedValue { $0 += 1 }
        }
        for number in 0..<2_000 {
            let frame = I420Frame(width: 64, height: 64)
            if let encoded = try encoder.encode(frame, timestamp: Int64(number) * 3_000, forceKeyFrame: number == 0) {
                // Every 50th frame is damaged.
                let bytes = number % 50 == 49 ? [1, 2, 3] : encoded.bytes
                decoder.add(
                    EncodedFrame(
                        bytes: bytes, isKeyFrame: encoded.isKeyFrame, captureTime: .milliseconds(Int64(number))))
            }
        }
        let deadline = ContinuousClock.now + .seconds(10)
        while asked.withLockedValue({ $0 }) == 0 || frames.withLockedValue({ $0 }) == 0,
            ContinuousClock.now < deadline
        {}
        #expect(asked.withLockedValue { $0 } > 0)
        #expect(frames.withLockedValue { $0 } > 0)
    }
}
