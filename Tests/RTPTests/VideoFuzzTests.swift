import MediaBase
import MillraceTestKit
import RTP
import Testing

/// 1,050,000 damaged inputs, and a million for each parser and codec in the long run: mutated packets of recorded streams, and random ones.
/// Each test also checks that enough of them still parse, so that all parts of a parser are reached.
@Suite("No input traps a parser of H.264, VP9 or AV1")
struct VideoFuzzTests {
    static let codecs: [VideoCodec] = [.h264, .vp9, .av1]

    /// Recorded payloads, cut to a length at which most mutations change a header, and random bytes.
    static func corpus(_ codec: VideoCodec, seed: UInt64) throws -> [[UInt8]] {
        var random = SeededGenerator(seed: seed)
        return try RecordedVideo.payloads(codec).map { Array($0.prefix(60)) } + (1..<20).map { random.bytes($0) }
    }

    @Test("Packets in any order with any timestamp", arguments: codecs) func reader(codec: VideoCodec) throws {
        var reader = FrameReader(codec)
        var random = SeededGenerator(seed: 11)
        var timestamp: Int64 = 0
        var read = 0
        var keys = 0
        var sized = 0
        try MutationFuzzer(corpus: Self.corpus(codec, seed: 12), seed: 13).run(count: LongTests.inputs(200_000)) {
            payload in
            let choice = random.next()
            timestamp = choice & 0xff == 0 ? Int64(bitPattern: random.next()) : timestamp &+ Int64(choice >> 62) &- 1
            guard let facts = try? reader.read(payload, timestamp: timestamp) else { return }
            read += 1
            if facts.isKeyFrameStart { keys += 1 }
            if facts.width > 0 { sized += 1 }
            if max(facts.fields.pictureIDOffset, facts.fields.tl0Offset) >= payload.count {
                Issue.record("a field beyond the payload")
            }
            if facts.fields.pictureIDIsWide, Int(facts.fields.pictureIDOffset) + 2 > payload.count {
                Issue.record("a PictureID beyond the payload")
            }
            if choice & 0xffff == 0 { reader = FrameReader(codec) }
        }
        #expect(read > 50_000 && keys > 1_000 && sized > 500, "\(read) \(keys) \(sized)")
    }

    @Test("Frames of damaged payloads stay within their maximum size", arguments: codecs)
    func depacketizer(codec: VideoCodec) throws {
        let capacity = 400
        var depacketizer = FrameDepacketizer(codec, byteCapacity: capacity)
        var random = SeededGenerator(seed: 21)
        var frame: [UInt8] = []
        var complete = 0
        try MutationFuzzer(corpus: Self.corpus(codec, seed: 22), seed: 23).run(count: LongTests.inputs(100_000)) {
            payload in
            do throws(RTPError) {
                try depacketizer.append(payload, to: &frame)
                if frame.count > capacity { Issue.record("a frame of \(frame.count) bytes") }
                guard random.below(4) == 0 else { return }
                if depacketizer.isComplete { complete += 1 }
                try depacketizer.finish(&frame)
            } catch {
                // A caller drops the frame.
            }
            if random.below(3) == 0 {
                depacketizer.begin()
                frame = []
            }
        }
        #expect(complete > 2_000, "\(complete)")
    }

    @Test("Parameter sets and headers with any bytes", arguments: codecs) func headers(codec: VideoCodec) throws {
        var random = SeededGenerator(seed: 31)
        let corpus: [[UInt8]] =
            switch codec {
            case .h264: (0..<40).map { _ in SampleParameterSet(&random).bytes }
            case .vp9:
                ["8249834200041003160638241c18", "b124c1a138010400c5818e090706"].map {
                    TestVector.bytes(hexadecimal: $0)
                }
            default:
                ["0a0a000000032c1c4daf9004", "0a1e040000000400000065780000000a53000021afc8afc85eabbfc3732be401"]
                    .map { TestVector.bytes(hexadecimal: $0) }
            }
        var parsed = 0
        MutationFuzzer(corpus: corpus, seed: 32).run(count: LongTests.inputs(50_000)) { bytes in
            switch codec {
            case .h264: if (try? H264SequenceParameterSet(parsing: bytes)) != nil { parsed += 1 }
            case .vp9: if (try? VP9FrameHeader(parsing: bytes)) != nil { parsed += 1 }
            default: if (try? AV1SequenceHeader(parsing: bytes)) != nil { parsed += 1 }
            }
        }
        #expect(parsed > 5_000, "\(parsed)")
    }
}
