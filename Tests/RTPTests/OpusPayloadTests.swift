import MediaBase
import RTP
import Testing

@Suite("Opus payload (RFC 6716 section 3.1)")
struct OpusPayloadTests {
    static func parse(_ bytes: [UInt8]) throws -> OpusPayload {
        try bytes.withUnsafeBytes { try OpusPayload(parsing: $0) }
    }

    @Test("Table 2: frame sizes of all 32 configurations", arguments: 0..<32 as Range<UInt8>)
    func frameSizes(configuration: UInt8) throws {
        let tenths: [Int] =
            configuration < 12
            ? [100, 200, 400, 600] : configuration < 16 ? [100, 200] : [25, 50, 100, 200]
        let payload = try Self.parse([configuration << 3, 1, 2])
        #expect(payload.sampleCount == tenths[Int(configuration) % tenths.count] * 48 / 10)
        #expect(payload.mode == (configuration < 12 ? .silk : configuration < 16 ? .hybrid : .celt))
        #expect(payload.channels == 1 && payload.frameCount == 1)
    }

    @Test func frameCountAndChannels() throws {
        let stereo20ms = UInt8(31 << 3 | 4)
        #expect(try Self.parse([stereo20ms, 0, 0]).duration == .milliseconds(20))
        #expect(try Self.parse([stereo20ms | 1, 0, 0]).duration == .milliseconds(40))
        #expect(try Self.parse([stereo20ms | 2, 0, 0]).channels == 2)
        #expect(try Self.parse([stereo20ms | 3, 0xc6, 0]).duration == .milliseconds(120))
        #expect(try Self.parse([stereo20ms]).isSilence)
        #expect(try !Self.parse([stereo20ms, 1, 2]).isSilence)
    }

    @Test func refusesWhatCannotBe() {
        #expect(throws: RTPError.truncated(.opusPayload)) { try Self.parse([]) }
        #expect(throws: RTPError.truncated(.opusPayload)) { try Self.parse([3]) }
        #expect(throws: RTPError.invalid(.opusPayload)) { try Self.parse([31 << 3 | 3, 0]) }
        #expect(throws: RTPError.invalid(.opusPayload)) { try Self.parse([31 << 3 | 3, 7]) }
    }
}
