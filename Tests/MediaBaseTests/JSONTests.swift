import MediaBase
import MillraceTestKit
import Testing

@Suite("JSON of media types")
struct JSONTests {
    /// All types, so that the faults of one value are those of each type.
    private struct All: Codable, Equatable {
        var mid: MID
        var rid: RID
        var fingerprint: CertificateFingerprint
        var payloadType: PayloadType
        var ssrc: SSRC
        var time: MediaTime
        var rate: Bitrate
        var codec: VideoCodec
        var kind: MediaKind
    }

    private func all() throws -> All {
        All(
            mid: try #require(MID("mid-0")), rid: try #require(RID("high_1")),
            fingerprint: try #require(CertificateFingerprint(.sha256, bytes: Array(0..<32))),
            payloadType: PayloadType(127), ssrc: SSRC(.max), time: .never, rate: Bitrate(rawValue: .min), codec: .av1,
            kind: .audio)
    }

    @Test("Values are the same after a way through JSON, to the last digit") func roundTrip() throws {
        #expect(try JSONFaults.decoded(try all()) == all())
    }

    @Test("JSON with missing and wrong parts is refused") func faults() throws {
        let faults = try JSONFaults(of: try all()) { _ = $0.fingerprint.description }
        #expect(faults.optional.isEmpty && faults.strange.isEmpty, "\(faults)")
        #expect(faults.refused > 80)
    }

    @Test(
        "Text that is no token of its kind is refused",
        arguments: ["", "a b", "abcdefghijklmnopq", "é", "a\\nb", "a\\u0000"])
    func tokens(_ text: String) {
        #expect(throws: DecodingError.self) { try JSONFaults.decode(MID.self, "\"\(text)\"") }
        #expect(throws: DecodingError.self) { try JSONFaults.decode(RID.self, "\"\(text)\"") }
        #expect(throws: DecodingError.self) { try JSONFaults.decode(CertificateFingerprint.self, "\"\(text)\"") }
    }

    @Test("Numbers out of range are refused, and not cut") func numbers() throws {
        #expect(try JSONFaults.decode(PayloadType.self, "127") == PayloadType(127))
        #expect(throws: DecodingError.self) { try JSONFaults.decode(PayloadType.self, "128") }
        #expect(throws: DecodingError.self) { try JSONFaults.decode(SSRC.self, "4294967296") }
        #expect(throws: DecodingError.self) { try JSONFaults.decode(MediaTime.self, "9223372036854775808") }
    }
}
