import Foundation
import MillraceTestKit
import Testing

@testable import RTP

@Suite("H.264 parameter sets of session descriptions (RFC 6184 section 8.1)")
struct H264ParameterSetsTests {
    static let sequence = "Z0LAC9oLE7ARAAADAAEAAAMAMg8UKqA="
    static let picture = "aM48gA=="

    @Test("The payload is an aggregate with all parameter sets")
    func payload() throws {
        let sets = try H264ParameterSets("\(Self.sequence),\(Self.picture)")
        #expect(sets.text == "\(Self.sequence),\(Self.picture)")
        #expect(sets.payload[0] == 0x78)
        let units = try H264Tests.units(sets.payload)
        #expect(
            units == [
                TestVector.bytes(hexadecimal: "6742c00bda0b13b011000003000100000300320f142aa0"),
                [0x68, 0xce, 0x3c, 0x80],
            ])
        let facts = try sets.payload.withUnsafeBytes { bytes in
            var reader = H264Reader()
            return try reader.read(bytes, timestamp: 0)
        }
        #expect(facts.isKeyFrameStart && facts.parameterSets == .sequence && facts.width == 176)
        // Without padding, and with several PPS.
        #expect(
            try H264ParameterSets("Z0LAC9oLE7ARAAADAAEAAAMAMg8UKqA,aM48gA,aM48gA").payload.count > sets.payload.count)
    }

    static let refused = [
        "", ",", sequence, picture, "\(sequence),", ",\(picture)", "\(sequence);\(picture)", "\(sequence),\(picture)=",
        "\(sequence),aM4 8gA==", "\(sequence),aM48g", "\(sequence),*M48gA==", "\(sequence),aM48gA==,Zg==",
        // A sequence parameter set of four bytes, a forbidden bit, an aggregate, and a slice.
        "Z0LACw==,\(picture)", "50LACw==,\(picture)", "\(sequence),\(picture),eA==", "\(sequence),\(picture),ZYiE",
        "\(sequence)," + String(repeating: "\(picture),", count: 8) + picture,
        "\(sequence)," + String(repeating: "aM48", count: 330),
        "\(sequence)," + String(repeating: "aM48", count: 100_000),
    ]

    @Test("Malformed, incomplete and large values are refused", arguments: refused)
    func refuses(text: String) {
        #expect(throws: RTPError.invalid(.h264ParameterSet)) { try H264ParameterSets(text) }
    }

    @Test("The largest payload fits into a datagram")
    func bounds() throws {
        // A PPS of 927 bytes: 1,236 characters.
        let longest = "\(Self.sequence)," + String(repeating: "aM48", count: 309)
        #expect(try H264ParameterSets(longest).payload.count == 1 + 2 + 23 + 2 + 927)
        #expect(throws: RTPError.invalid(.h264ParameterSet)) {
            try H264ParameterSets("\(Self.sequence)," + String(repeating: "aM48", count: 330))
        }
    }

    @Test("Text of any characters gives a value or an error")
    func hostile() {
        let whole = Array("\(Self.sequence),\(Self.picture)".utf8)
        var random = SeededGenerator(seed: 5)
        var accepted = 0
        for _ in 0..<LongTests.inputs(20_000) {
            var text = whole
            for _ in 0...random.below(3) {
                let offset = random.below(text.count)
                switch random.below(3) {
                case 0: text[offset] = UInt8(truncatingIfNeeded: random.next())
                case 1: text.insert(UInt8(truncatingIfNeeded: random.next()), at: offset)
                default: text.remove(at: offset)
                }
            }
            if (try? H264ParameterSets(String(decoding: text, as: UTF8.self))) != nil { accepted += 1 }
        }
        #expect(accepted > 100, "\(accepted)")
    }

    @Test("In JSON they have the text of the description")
    func json() throws {
        let sets = try H264ParameterSets("\(Self.sequence),\(Self.picture)")
        let data = try JSONEncoder().encode([sets])
        #expect(try JSONDecoder().decode([H264ParameterSets].self, from: data) == [sets])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([H264ParameterSets].self, from: Data(#"["aM48gA=="]"#.utf8))
        }
    }
}
