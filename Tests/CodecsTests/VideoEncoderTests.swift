import Codecs
import MediaBase
import MillraceTestKit
import Testing

@Suite("Encoders of every codec") struct VideoEncoderTests {
    /// A gradient that moves, and contains no flat areas.
    static func frame(_ number: Int, width: Int, height: Int) -> I420Frame {
        var frame = I420Frame(width: width, height: height)
        for row in 0..<height {
            for column in 0..<width {
                frame.bytes[row * width + column] = UInt8(
                    truncatingIfNeeded: 40 + (column + number * 2) % 128 + row / 4)
            }
        }
        for index in frame.uRange { frame.bytes[index] = UInt8(truncatingIfNeeded: 100 + number % 20) }
        for index in frame.vRange { frame.bytes[index] = 140 }
        return frame
    }

    /// Mean difference of the luma of two frames, over the size of `decoded`.
    static func difference(_ frame: I420Frame, _ decoded: I420Frame) -> Double {
        var sum = 0
        for row in 0..<decoded.height {
            for column in 0..<decoded.width {
                sum += abs(
                    Int(frame.bytes[row * frame.width + column]) - Int(decoded.bytes[row * decoded.width + column]))
            }
        }
        return Double(sum) / Double(decoded.width * decoded.height)
    }

    @Test(
        "STR-7 Encoded frames are decoded to what was encoded, with key frames at the start and on request only",
        arguments: VideoCodec.allCases, [1, 4])
    func frames(codec: VideoCodec, threads: Int) throws {
        let encoder = try VideoEncoder(
            codec,
            VideoEncoderConfiguration(
                width: 320, height: 180, framesPerSecond: 15, bitrate: .kilobits(600), threads: threads, speed: 12))
        let decoder = try VideoDecoder(codec)
        #expect(encoder.codec == codec && encoder.bitrate == .kilobits(600))
        for number in 0..<40 {
            let frame = Self.frame(number, width: 320, height: 180)
            let encoded = try #require(
                try encoder.encode(frame, timestamp: Int64(number) * 6_000, forceKeyFrame: number == 25))
            #expect(encoded.isKeyFrame == (number == 0 || number == 25), "\(number)")
            #expect(encoded.width == 320 && encoded.height == 180 && encoded.timestamp == Int64(number) * 6_000)
            let decoded = try #require(try decoder.decode(encoded.bytes))
            #expect(decoded.width == 320 && decoded.height == 180)
            #expect(Self.difference(frame, decoded) < 8, "\(number)")
        }
        // A decoder without state can start at the requested key frame.
        let late = try VideoDecoder(codec)
        let key = try #require(
            try encoder.encode(
                Self.frame(40, width: 320, height: 180), timestamp: 240_000, forceKeyFrame: true))
        #expect(try late.decode(key.bytes) != nil)
    }

    @Test("STR-7 The bit rate follows a change while encoding", arguments: VideoCodec.allCases)
    func bitrate(codec: VideoCodec) throws {
        let encoder = try VideoEncoder(
            codec, VideoEncoderConfiguration(width: 320, height: 180, bitrate: .kilobits(800), speed: 12))
        var random = SeededGenerator(seed: 3)
        func bytes(_ range: Range<Int>) throws -> Int {
            var sum = 0
            for number in range {
                var frame = Self.frame(number * 5, width: 320, height: 180)
                // Noise, which needs the bits of the higher rate.
                for index in stride(from: 0, to: frame.yRange.upperBound, by: 5) {
                    frame.bytes[index] &+= UInt8(random.next() % 40)
                }
                sum += try encoder.encode(frame, timestamp: Int64(number) * 3_000)?.bytes.count ?? 0
            }
            return sum
        }
        _ = try bytes(0..<30)
        let high = try bytes(30..<60)
        try encoder.setBitrate(.kilobits(200))
        #expect(encoder.bitrate == .kilobits(200))
        _ = try bytes(60..<90)
        let low = try bytes(90..<120)
        #expect(Double(low) < 0.75 * Double(high), "\(low) of \(high) bytes a second")
        #expect(throws: CodecError.self) { try encoder.setBitrate(.init(bitsPerSecond: 999)) }
        #expect(throws: CodecError.self) { try encoder.setBitrate(.init(bitsPerSecond: 1_000_000_001)) }
        #expect(encoder.bitrate == .kilobits(200))
    }

    @Test("STR-7 Odd sizes are encoded; H.264 leaves out the last column and row", arguments: VideoCodec.allCases)
    func oddSizes(codec: VideoCodec) throws {
        let encoder = try VideoEncoder(
            codec, VideoEncoderConfiguration(width: 163, height: 91, bitrate: .kilobits(800), speed: 8))
        let decoder = try VideoDecoder(codec)
        for number in 0..<3 {
            let frame = Self.frame(number, width: 163, height: 91)
            let encoded = try #require(try encoder.encode(frame, timestamp: Int64(number) * 3_000))
            let decoded = try #require(try decoder.decode(encoded.bytes))
            let size = codec == .h264 ? (162, 90) : (163, 91)
            #expect((decoded.width, decoded.height) == size && (encoded.width, encoded.height) == size)
            #expect(Self.difference(frame, decoded) < 8)
        }
    }

    @Test("STR-7 Arguments out of range are refused", arguments: VideoCodec.allCases)
    func refused(codec: VideoCodec) throws {
        func make(
            width: Int = 64, height: Int = 48, rate: Double = 30, bitrate: Int64 = 100_000, threads: Int = 1,
            speed: Int = 8
        ) throws -> VideoEncoder {
            try VideoEncoder(
                codec,
                VideoEncoderConfiguration(
                    width: width, height: height, framesPerSecond: rate, bitrate: Bitrate(bitsPerSecond: bitrate),
                    threads: threads, speed: speed))
        }
        #expect(throws: CodecError.self) { try make(width: 0) }
        #expect(throws: CodecError.self) { try make(height: 16_384) }
        #expect(throws: CodecError.self) { try make(rate: 0) }
        #expect(throws: CodecError.self) { try make(rate: .nan) }
        #expect(throws: CodecError.self) { try make(bitrate: 0) }
        #expect(throws: CodecError.self) { try make(threads: 17) }
        #expect(throws: CodecError.self) { try make(speed: 17) }
        if codec == .h264 { #expect(throws: CodecError.self) { try make(width: 15) } }
        let encoder = try make()
        _ = try encoder.encode(Self.frame(0, width: 64, height: 48), timestamp: 5)
        #expect(throws: CodecError.self) { try encoder.encode(Self.frame(0, width: 64, height: 48), timestamp: 5) }
        #expect(throws: CodecError.self) { try encoder.encode(Self.frame(0, width: 66, height: 48), timestamp: 6) }
        #expect(try encoder.encode(Self.frame(1, width: 64, height: 48), timestamp: 7)?.isKeyFrame == false)
    }

    @Test("Damaged frames of every encoder are errors of the decoder, or frames", arguments: VideoCodec.allCases)
    func damaged(codec: VideoCodec) throws {
        let encoder = try VideoEncoder(
            codec, VideoEncoderConfiguration(width: 96, height: 64, bitrate: .kilobits(200), speed: 12))
        let decoder = try VideoDecoder(codec, maximumPixels: 256 * 256)
        var random = SeededGenerator(seed: 11)
        var errors = 0
        for number in 0..<400 {
            let encoded = try #require(
                try encoder.encode(
                    Self.frame(number, width: 96, height: 64), timestamp: Int64(number) * 3_000,
                    forceKeyFrame: number % 4 == 0))
            var bytes = encoded.bytes
            for _ in 0..<(1 + Int(random.next() % 6)) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if number % 3 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
            do throws(CodecError) { _ = try decoder.decode(bytes) } catch {
                errors += 1
                #expect(decoder.needsKeyFrame)
            }
        }
        #expect(errors > 100, "\(errors)")
    }
}
