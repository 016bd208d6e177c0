import Codecs
import MediaBase
import MillraceTestKit
import Testing

@Suite struct VP8DecoderTests {
    func encode(width: Int, height: Int, count: Int, firstTimestamp: Int64 = 0) throws -> [[UInt8]] {
        let encoder = try VP8Encoder(.init(width: width, height: height, bitrate: .kilobits(300)))
        let source = MovingImage(width: width, height: height)
        return try (0..<count).compactMap {
            try encoder.encode(source.frame($0), timestamp: firstTimestamp + Int64($0) * 3000)?.bytes
        }
    }

    @Test("The frame size may change at a key frame, up and down")
    func sizeChange() throws {
        let decoder = try VPXDecoder(threads: 2)
        for (width, height) in [(64, 48), (320, 240), (33, 17), (64, 48)] {
            for frame in try encode(width: width, height: height, count: 4) {
                let decoded = try #require(try decoder.decode(frame))
                #expect(decoded.width == width && decoded.height == height)
            }
        }
    }

    @Test("Borrowed planes hold the same frame as a copy")
    func planes() throws {
        let (lender, copier) = (try VPXDecoder(), try VPXDecoder())
        for frame in try encode(width: 67, height: 35, count: 5) {
            let copy = try #require(try copier.decode(frame, rotation: .half, captureTime: .seconds(5)))
            #expect(copy.rotation == .half && copy.captureTime == .seconds(5))
            let isEqual = try frame.withUnsafeBytes { bytes in
                try lender.withDecodedPlanes(bytes) { planes in
                    let rows = (0..<planes.height).allSatisfy { row in
                        (0..<planes.width).allSatisfy {
                            planes.y[row * planes.yStride + $0] == copy.bytes[row * 67 + $0]
                        }
                    }
                    let chroma = (0..<planes.chromaHeight).allSatisfy { row in
                        (0..<planes.chromaWidth).allSatisfy {
                            planes.u[row * planes.chromaStride + $0]
                                == copy.bytes[copy.uRange.lowerBound + row * 34 + $0]
                                && planes.v[row * planes.chromaStride + $0]
                                    == copy.bytes[copy.vRange.lowerBound + row * 34 + $0]
                        }
                    }
                    return rows && chroma && planes.width == 67 && planes.height == 35
                }
            }
            #expect(isEqual == true)
        }
    }

    @Test("A stream that does not begin with a key frame requests one")
    func missingKeyFrame() throws {
        let frames = try encode(width: 64, height: 48, count: 3)
        let decoder = try VPXDecoder()
        #expect(throws: CodecError.missingKeyFrame) { try decoder.decode(frames[1]) }
        #expect(decoder.needsKeyFrame)
        #expect(try decoder.decode(frames[0]) != nil)
        #expect(!decoder.needsKeyFrame)
        #expect(try decoder.decode(frames[1]) != nil)
    }

    @Test("After damage no frame is returned until a key frame")
    func damage() throws {
        let frames = try encode(width: 160, height: 120, count: 4)
        let decoder = try VPXDecoder()
        _ = try decoder.decode(frames[0])
        #expect(throws: CodecError.self) { try decoder.decode(Array(frames[1].prefix(12))) }
        #expect(throws: CodecError.missingKeyFrame) { try decoder.decode(frames[2]) }
        #expect(try decoder.decode(frames[0]) != nil)
        #expect(try decoder.decode(frames[1]) != nil)
    }

    @Test("A frame cut anywhere gives an error or a frame, never a trap")
    func truncation() throws {
        let frames = try encode(width: 64, height: 48, count: 2)
        for frame in frames {
            for length in 0..<frame.count {
                let decoder = try VPXDecoder()
                _ = try decoder.decode(frames[0])
                _ = try? decoder.decode(Array(frame.prefix(length)))
            }
        }
        let decoder = try VPXDecoder()
        #expect(throws: CodecError.self) { try decoder.decode([]) }
        #expect(throws: CodecError.self) { try decoder.decode(Array(frames[0].prefix(9))) }
    }

    @Test("A frame beyond the limit is refused before memory is allocated")
    func frameTooLarge() throws {
        var frame = try encode(width: 64, height: 48, count: 1)[0]
        (frame[6], frame[7], frame[8], frame[9]) = (0xff, 0x3f, 0xff, 0x3f)
        #expect(throws: CodecError.frameTooLarge(width: 16383, height: 16383)) { try VPXDecoder().decode(frame) }
        let small = try VPXDecoder(maximumPixels: 64 * 48)
        #expect(try small.decode(try encode(width: 64, height: 48, count: 1)[0]) != nil)
        #expect(throws: CodecError.frameTooLarge(width: 64, height: 50)) {
            try small.decode(try encode(width: 64, height: 50, count: 1)[0])
        }
    }

    @Test("10,000 damaged frames do not trap, and the decoder recovers", arguments: [1, 2])
    func mutations(threads: Int) throws {
        let frames = try encode(width: 96, height: 80, count: 20)
        var random = SeededGenerator(seed: 20_261_121)
        let decoder = try VPXDecoder(threads: threads, maximumPixels: 1 << 18)
        var errors = 0
        for round in 0..<5_000 {
            // Half of the rounds begin with a good key frame, so that damaged predicted frames reach the decoder too.
            if round % 2 == 0 { _ = try decoder.decode(frames[0]) }
            var frame = frames[random.below(frames.count)]
            for _ in 0...random.below(8) {
                switch random.below(4) {
                case 0: frame.removeLast(min(frame.count, random.below(40)))
                case 1: frame.append(contentsOf: random.bytes(random.below(20)))
                case 2 where !frame.isEmpty:
                    frame[random.below(min(frame.count, 12))] = UInt8(truncatingIfNeeded: random.next())
                default: if !frame.isEmpty { frame[random.below(frame.count)] ^= 1 << UInt8(random.below(8)) }
                }
            }
            do { _ = try decoder.decode(frame) } catch { errors += 1 }
        }
        #expect(errors > 0)
        #expect(try decoder.decode(frames[0])?.width == 96)
        #expect(try decoder.decode(frames[1])?.height == 80)
    }
}
