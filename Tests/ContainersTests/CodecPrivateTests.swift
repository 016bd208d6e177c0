import MediaBase
import MillraceTestKit
import Testing

@testable import Containers

@Suite("Decoder configurations of H.264 and AV1 tracks")
struct CodecPrivateTests {
    /// Records that FFmpeg 5.1 wrote for x264 at 34x18, with one SPS and one PPS each: profile, record.
    private static let avc = [
        ("baseline", "0142c00affe100186742c00ad90d78888c044000000300400000030283c4899201000568cb83cb20"),
        (
            "high",
            "0164000affe1001a6764000aacd94d78888c044000000300400000030283c489658001000668ebe3cb22c0fdf8f800"
        ),
        (
            "high 10",
            "016e000affe1001a676e000aa6cd94d78888c044000003000400000300283c48965801000668ebe3cb22c0fdfafa00"
        ),
        (
            "high 4:2:2",
            "017a000affe1001a677a000abcd94d7888fc044000000300400000030283c489658001000668ebe3cb22c0fef8f800"
        ),
        (
            "high 4:4:4",
            "01f4000affe1001a67f4000a919b29af1f1f80880000030008000003005078912cb001000668ebe3c44844fff8f800"
        ),
    ]

    @Test("The record of H.264 is that of FFmpeg", arguments: avc)
    func avcRecord(profile: String, record: String) throws {
        let expected = TestVector.bytes(hexadecimal: record)
        let length = Int(expected[7])
        let sequence = Array(expected[8..<8 + length])
        let picture = Array(expected[(11 + length)..<(11 + length + Int(expected[10 + length]))])
        #expect(AVCConfiguration(sequenceSets: [sequence], pictureSets: [picture])?.bytes == expected, "\(profile)")
        // Truncated or missing parameter sets give no record.
        #expect(AVCConfiguration(sequenceSets: [Array(sequence.prefix(3))], pictureSets: [picture]) == nil)
        #expect(AVCConfiguration(sequenceSets: [], pictureSets: [picture]) == nil)
        #expect(AVCConfiguration(sequenceSets: [sequence], pictureSets: []) == nil)
        #expect(
            AVCConfiguration(sequenceSets: Array(repeating: sequence, count: 32), pictureSets: [picture]) == nil)
        if profile != "baseline" {
            #expect(AVCConfiguration(sequenceSets: [Array(sequence.prefix(4))], pictureSets: [picture]) == nil)
        }
    }

    @Test("Parameter sets and frames of H.264 get start codes, and truncated ones are refused", arguments: avc)
    func avcFrames(profile: String, record: String) throws {
        let bytes = TestVector.bytes(hexadecimal: record)
        let length = Int(bytes[7])
        let sequence = Array(bytes[8..<8 + length])
        let picture = Array(bytes[(11 + length)..<(11 + length + Int(bytes[10 + length]))])
        let frames = try #require(AVCFrames(codecPrivate: bytes))
        #expect(frames.parameterSets == [0, 0, 0, 1] + sequence + [0, 0, 0, 1] + picture)
        #expect(frames.accessUnit([0, 0, 0, 2, 9, 0xf0, 0, 0, 0, 1, 5]) == [0, 0, 0, 1, 9, 0xf0, 0, 0, 0, 1, 5])
        #expect(frames.accessUnit([]) == [])
        for damaged: [UInt8] in [[0], [0, 0, 0, 2, 5], [0xff, 0xff, 0xff, 0xff, 5], [0, 0, 0, 1, 5, 0]] {
            #expect(frames.accessUnit(damaged) == nil)
        }
        for count in 0..<(11 + length + picture.count) {
            #expect(AVCFrames(codecPrivate: Array(bytes.prefix(count))) == nil)
        }
        // Lengths of two bytes; three are not allowed.
        let short = try #require(AVCFrames(codecPrivate: bytes[..<4] + [0xfd] + bytes[5...]))
        #expect(short.accessUnit([0, 1, 5, 0, 2, 1, 2]) == [0, 0, 0, 1, 5, 0, 0, 0, 1, 1, 2])
        #expect(AVCFrames(codecPrivate: bytes[..<4] + [0xfe] + bytes[5...]) == nil)
    }

    /// Records that FFmpeg 5.1 wrote for libaom and rav1e at 34x18.
    private static let av1 = [
        ("8 bits", "81000c000a0a00000002a43136be4010"), ("10 bits", "81004c000a0a00000002a43136be5010"),
        ("monochrome", "81001c000a0a00000002a43136be4a80"), ("4:4:4", "812000000a0a20000002a43136be4080"),
        ("4:2:2 with 12 bits", "814068000a0a40000002a43136be5888"),
        ("rav1e", "811f0c000a0d000000f9521888428204040428"),
    ]

    @Test("The record of AV1 is that of FFmpeg, and has the frame size", arguments: av1)
    func av1Record(format: String, record: String) throws {
        let expected = TestVector.bytes(hexadecimal: record)
        let unit = Array(expected[4...])
        let header = Array(unit[2...])
        let configuration = try #require(AV1Configuration(sequenceHeader: header, unit: unit))
        #expect(configuration.bytes == expected, "\(format)")
        #expect(configuration.width == 34 && configuration.height == 18)
        #expect(AV1Configuration(sequenceHeader: Array(header.prefix(6)), unit: unit) == nil)
        #expect(AV1Configuration(sequenceHeader: [], unit: []) == nil)
    }

    @Test("Damaged parameters never trap")
    func damaged() {
        let headers = Self.av1.map { Array(TestVector.bytes(hexadecimal: $0.1)[6...]) }
        var accepted = 0
        MutationFuzzer(corpus: headers, seed: 5).run(count: 50_000) { bytes in
            if AV1Configuration(sequenceHeader: Array(bytes), unit: []) != nil { accepted += 1 }
        }
        let sets = Self.avc.map { Array(TestVector.bytes(hexadecimal: $0.1)[8...]) }
        MutationFuzzer(corpus: sets, seed: 6).run(count: 50_000) { bytes in
            if AVCConfiguration(sequenceSets: [Array(bytes)], pictureSets: [[0x68]]) != nil { accepted += 1 }
        }
        #expect(accepted > 0)
    }

    @Test(
        "A file tells the codec of its video, and its document type is Matroska for H.264 only",
        arguments: VideoCodec.allCases)
    func header(codec: VideoCodec) throws {
        let sink = MemorySink()
        let parameters: [UInt8] = codec == .vp8 || codec == .vp9 ? [] : [1, 2, 3]
        let writer = try WebMWriter(
            sink: sink,
            configuration: WebMConfiguration(
                video: .init(codec: codec, width: 64, height: 48, codecPrivate: parameters), audio: .init(channels: 2)))
        writer.noteSize(width: 128, height: 96)
        try writer.write(.video, timestamp: .zero, isKeyframe: true, bytes: [1, 2])
        try writer.write(.audio, timestamp: .zero, isKeyframe: true, bytes: [3])
        try writer.finish()
        let reader = try WebMReader(source: MemorySource(sink.bytes))
        #expect(reader.structure.documentType == (codec == .h264 ? "matroska" : "webm"))
        #expect(reader.tracks.map(\.codec) == [.video(codec), .opus])
        #expect(reader.tracks[0].codecPrivate == parameters)
        #expect(reader.tracks[0].width == 128 && reader.tracks[0].height == 96)
        #expect(try reader.all().map(\.bytes) == [[1, 2], [3]])
    }
}
