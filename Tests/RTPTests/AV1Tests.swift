import MillraceTestKit
import RTP
import Testing

@Suite("AV1 payloads and sequence headers")
struct AV1Tests {
    static func header(_ bytes: [UInt8]) throws -> AV1AggregationHeader {
        try bytes.withUnsafeBytes { try AV1AggregationHeader(parsing: $0) }
    }

    static func sequence(_ bytes: [UInt8]) throws -> AV1SequenceHeader {
        try bytes.withUnsafeBytes { try AV1SequenceHeader(parsing: $0) }
    }

    static func elements(_ bytes: [UInt8]) throws -> [(bytes: [UInt8], continues: Bool, isContinued: Bool)] {
        try bytes.withUnsafeBytes { bytes in
            var elements = AV1Elements(try AV1AggregationHeader(parsing: bytes), bytes)
            var found: [(bytes: [UInt8], continues: Bool, isContinued: Bool)] = []
            while let element = try elements.next() {
                found.append((Array(element.bytes), element.continuesElement, element.isContinued))
            }
            return found
        }
    }

    @Test("Each bit of the aggregation header") func bits() throws {
        let plain = try Self.header([0x00, 1])
        #expect(!plain.continuesElement && !plain.isContinued && plain.elementCount == 0 && !plain.startsSequence)
        #expect(try Self.header([0x80, 1]).continuesElement)
        #expect(try Self.header([0x40, 1]).isContinued)
        #expect(try Self.header([0x30, 1]).elementCount == 3)
        #expect(try Self.header([0x08, 1]).startsSequence)
        #expect(throws: RTPError.truncated(.av1AggregationHeader)) { try Self.header([]) }
        #expect(throws: RTPError.truncated(.av1Element)) { try Self.header([0x10]) }
        #expect(throws: RTPError.invalid(.av1AggregationHeader)) { try Self.header([0x88, 1]) }
    }

    @Test(
        "Only the first element continues an OBU, and only the last one is continued",
        arguments: [0xc0, 0xe0] as [UInt8])
    func elementEnds(first: UInt8) throws {
        let found = try Self.elements(first & 0x30 == 0 ? [first, 2, 7, 8, 1, 9] : [first, 2, 7, 8, 9])
        #expect(found.map(\.bytes) == [[7, 8], [9]])
        #expect(found.map(\.continues) == [true, false] && found.map(\.isContinued) == [false, true])
    }

    @Test("Lengths of up to eight bytes, and not beyond 32 bits") func lengths() throws {
        let body = [UInt8](repeating: 3, count: 130)
        #expect(try Self.elements([0x00, 0x82, 0x01] + body).map(\.bytes) == [body])
        #expect(try Self.elements([0x00, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 5]).map(\.bytes) == [[5]])
        #expect(throws: RTPError.invalid(.av1Element)) {
            try Self.elements([0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 5])
        }
        #expect(throws: RTPError.invalid(.av1Element)) { try Self.elements([0x00, 0xff, 0xff, 0xff, 0xff, 0x7f, 5]) }
        #expect(throws: RTPError.truncated(.av1Element)) { try Self.elements([0x00, 0xff, 0xff, 0xff, 0xff, 0x0f, 5]) }
        #expect(throws: RTPError.truncated(.av1Element)) { try Self.elements([0x00, 0x80]) }
        #expect(throws: RTPError.truncated(.av1Element)) { try Self.elements([0x20, 2, 7, 8]) }
    }

    /// Made by libaom and SVT-AV1 (FFmpeg 5.1), which were given the size.
    @Test(
        "Frame sizes of sequence headers: plain, of a still image, with a decoder model, with timing",
        arguments: [
            ("0a0a000000032c1c4daf9004", 66, 50), ("0a06181960e2d004", 66, 50),
            ("0a1e040000000400000065780000000a53000021afc8afc85eabbfc3732be401", 1_920, 1_080),
            ("0a14040000000400000067400000bc3cfeccdaf90040", 320, 180), ("0a0b000000043d06d4fbf90040", 322, 182),
        ] as [(String, UInt32, UInt32)])
    func sizes(hexadecimal: String, width: UInt32, height: UInt32) throws {
        let bytes = TestVector.bytes(hexadecimal: hexadecimal)
        let sequence = try Self.sequence(bytes)
        #expect(sequence.width == width && sequence.height == height)
        for length in 0..<6 {
            #expect(throws: RTPError.truncated(.av1SequenceHeader)) { try Self.sequence(Array(bytes[..<length])) }
        }
    }

    @Test func refusesOtherUnits() {
        for bytes in [[0x12, 0], [0x8a, 1, 0], [0x32, 1, 0]] as [[UInt8]] {
            #expect(throws: RTPError.unexpected(.av1SequenceHeader)) { try Self.sequence(bytes) }
        }
        // Profile 3 is reserved.
        #expect(throws: RTPError.invalid(.av1SequenceHeader)) { try Self.sequence([0x0a, 3, 0x60, 0, 0]) }
    }
}
