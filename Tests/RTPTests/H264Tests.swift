import MillraceTestKit
import Testing

@testable import RTP

@Suite("H.264 payloads and parameter sets (RFC 6184, ITU-T H.264)")
struct H264Tests {
    static func payload(_ bytes: [UInt8]) throws -> H264Payload {
        try bytes.withUnsafeBytes { try H264Payload(parsing: $0) }
    }

    static func set(_ bytes: [UInt8]) throws -> H264SequenceParameterSet {
        try bytes.withUnsafeBytes { try H264SequenceParameterSet(parsing: $0) }
    }

    static func units(_ bytes: [UInt8]) throws -> [[UInt8]] {
        try bytes.withUnsafeBytes { bytes in
            var aggregate = H264Aggregate(bytes)
            var units: [[UInt8]] = []
            while let unit = try aggregate.next() { units.append(Array(unit)) }
            return units
        }
    }

    @Test("The first byte tells the structure of a payload", arguments: 0...255 as ClosedRange<UInt8>)
    func structures(first: UInt8) throws {
        let bytes: [UInt8] = [first, 0x85, 0x88]
        guard first < 0x80 else {
            #expect(throws: RTPError.invalid(.h264Payload)) { try Self.payload(bytes) }
            return
        }
        switch first & 0x1f {
        case 1...23:
            let payload = try Self.payload(bytes)
            #expect(payload.structure == .singleUnit && payload.header == first && payload.headerLength == 1)
        case 24: #expect(try Self.payload(bytes).structure == .aggregate)
        case 28:
            let payload = try Self.payload(bytes)
            #expect(payload.structure == .fragment(isStart: true, isEnd: false))
            #expect(payload.header == first & 0x60 | 5 && payload.headerLength == 2)
        case 25, 26, 27, 29: #expect(throws: RTPError.unexpected(.h264Payload)) { try Self.payload(bytes) }
        default: #expect(throws: RTPError.invalid(.h264Payload)) { try Self.payload(bytes) }
        }
    }

    @Test func refusesTruncatedPayloads() {
        #expect(throws: RTPError.truncated(.h264Payload)) { try Self.payload([]) }
        #expect(throws: RTPError.truncated(.h264Fragment)) { try Self.payload([0x7c]) }
        for type in [0, 24, 28, 31] as [UInt8] {
            #expect(throws: RTPError.invalid(.h264Fragment)) { try Self.payload([0x7c, 0x80 | type]) }
        }
    }

    @Test("Aggregates end with their last NAL unit") func aggregates() throws {
        #expect(try Self.units([0x78, 0, 2, 0x67, 1, 0, 1, 0x68]) == [[0x67, 1], [0x68]])
        #expect(try Self.units([0x78]) == [])
        #expect(throws: RTPError.truncated(.h264Aggregate)) { try Self.units([0x78, 0]) }
        #expect(throws: RTPError.truncated(.h264Aggregate)) { try Self.units([0x78, 0, 2, 0x67]) }
        #expect(throws: RTPError.truncated(.h264Aggregate)) { try Self.units([0x78, 0xff, 0xff, 0x67]) }
        #expect(throws: RTPError.invalid(.h264Aggregate)) { try Self.units([0x78, 0, 0, 0x67]) }
        for first in [0x78, 0x7c, 0x60, 0xe7] as [UInt8] {
            #expect(throws: RTPError.invalid(.h264Aggregate)) { try Self.units([0x78, 0, 1, first]) }
        }
    }

    /// Made by x264 (FFmpeg 5.1), which was given the size.
    @Test(
        "Frame sizes of parameter sets of x264",
        arguments: [
            ("6742c00bda0b13b011000003000100000300320f142aa0", 176, 144),
            ("6742c028da01e0089f97011000000300100000030320f1832a", 1_920, 1_080),
            ("676e001fa6cb402802dd80880000030008000003019078c195", 1_280, 720),
            ("677a000abcb4293c447e0220000003002000000641e244d4", 66, 50),
            ("67f4000a919685278f8fc044000003000400000300c83c489a80", 66, 50),
            ("6764000af2d08ff1b80b64000003000400000300c83c489a80", 64, 36),
            ("674d401ef405a126c044000003000400000300c87c50aa80", 720, 576),
            ("674d4028f403c0227ef011000003000100000300321f162ea0", 1_920, 1_080),
            ("6742c033da004000486c0440000003004000000c83c60ca8", 4_096, 2_304),
        ] as [(String, UInt16, UInt16)])
    func sizes(hexadecimal: String, width: UInt16, height: UInt16) throws {
        let bytes = TestVector.bytes(hexadecimal: hexadecimal)
        let set = try Self.set(bytes)
        #expect(set.width == width && set.height == height)
        #expect(set.profile == bytes[1] && set.constraints == bytes[2] && set.level == bytes[3])
        for length in 0..<8 { #expect(throws: RTPError.self) { try Self.set(Array(bytes[..<length])) } }
    }

    /// Made by x264 (FFmpeg 5.1). The numbers are those that FFmpeg's filter `trace_headers` prints.
    @Test(
        "Parameter sets tell how many frames are reordered; damaged information of that kind says nothing",
        arguments: [
            ("674d400aeca293c4446022000003000200000300281e244b2c", 2),
            // With a decoder model, and with colours.
            ("6764000dacd945278888c04400000300040000030051808007a10001e84a4b28078a14cb", 2),
            ("6764000aacd945278888c05a808080a000000300200000030281e244b2c0", 2),
            ("6764000aacb20a4f11118088000003000800000300a078913240", 0),
            ("6742c00ad905278888c044000003000400000300503c489920", 0),
            ("674d401ef405a126c044000003000400000300c87c50aa80", 0),
        ] as [(String, UInt8)])
    func reorderedFrames(hexadecimal: String, expected: UInt8) throws {
        let bytes = TestVector.bytes(hexadecimal: hexadecimal)
        let set = try Self.set(bytes)
        #expect(set.reorderedFrames == expected)
        // The size is known before the information is.
        for length in (bytes.count - 12)..<bytes.count {
            let cut = try Self.set(Array(bytes[..<length]))
            #expect(cut.width == set.width && cut.reorderedFrames ?? 0 <= 16)
        }
        let facts = try bytes.withUnsafeBytes { bytes in
            var reader = H264Reader()
            return try reader.read(bytes, timestamp: 0)
        }
        #expect(facts.parameterSets.contains(.reordersFrames) == (expected > 0))
    }

    @Test("Parameter sets with any fields are read as they were written", arguments: 1...200)
    func roundTrip(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let sample = SampleParameterSet(&random)
        let set = try Self.set(sample.bytes)
        #expect(Int(set.width) == sample.width && Int(set.height) == sample.height, "\(sample)")
    }

    @Test("Values beyond the bounds of the standard are refused") func bounds() {
        var random = SeededGenerator(seed: 1)
        let changes: [(inout SampleParameterSet) -> Void] = [
            { $0.columns = 1_056 }, { $0.rows = 1_056 },
            {
                $0.columns = 400; $0.rows = 400
            },
            { $0.crop = [2_000, 2_000, 0, 0] }, { $0.crop = [0, 0, 2_000, 2_000] }, { $0.references = 17 },
            { $0.identifier = 32 }, { $0.crop = [UInt32.max / 2, UInt32.max / 2, 0, 0] },
        ]
        for change in changes {
            var sample = SampleParameterSet(&random)
            sample.columns = 10
            sample.rows = 10
            sample.crop = nil
            change(&sample)
            #expect(throws: RTPError.invalid(.h264ParameterSet)) { try Self.set(sample.bytes) }
        }
        #expect(throws: RTPError.unexpected(.h264ParameterSet)) { try Self.set([0x68, 0x42, 0, 10, 0xff]) }
        // 32 zero bits before a number.
        #expect(throws: RTPError.invalid(.h264ParameterSet)) { try Self.set([0x67, 0x42, 0, 10, 0, 0, 3, 0, 0, 3, 1]) }
        #expect(throws: RTPError.truncated(.h264ParameterSet)) { try Self.set([0x67, 0x42, 0, 10, 0, 0, 3, 0]) }
    }

    /// Calls `body` with a reader of some bytes.
    static func read<Value>(
        _ bytes: [UInt8], skipsEmulationPrevention: Bool = false, _ body: (inout BitReader) throws -> Value
    ) throws -> Value {
        try bytes.withUnsafeBytes { bytes in
            var reader = BitReader(
                bytes, field: .h264ParameterSet, skipsEmulationPrevention: skipsEmulationPrevention)
            return try body(&reader)
        }
    }

    @Test("Bits and Exp-Golomb numbers") func bits() throws {
        // 1 010 011 00100 00101 00110 00111 0001000 0001001 0001010: 0 to 9 (ITU-T H.264 table 9-2)
        let numbers: [UInt8] = [0xa6, 0x42, 0x98, 0xe2, 0x04, 0x8a]
        let unsigned = try Self.read(numbers) { reader in try (0..<10).map { _ in try reader.prefixedNumber() } }
        #expect(unsigned == Array(0...9))
        let signed = try Self.read(numbers) { reader in try (0..<10).map { _ in try reader.signedExponentialGolomb() } }
        #expect(signed == [0, 1, -1, 2, -2, 3, -3, 4, -4, 5])
        let prevented: [UInt8] = [0, 0, 3, 1, 0, 0, 3]
        let values = try Self.read(prevented, skipsEmulationPrevention: true) { reader in
            [try reader.bits(24), try reader.bits(16)]
        }
        #expect(values == [1, 0])
        #expect(throws: RTPError.truncated(.h264ParameterSet)) {
            try Self.read(prevented, skipsEmulationPrevention: true) { reader in try reader.skip(41) }
        }
    }
}
