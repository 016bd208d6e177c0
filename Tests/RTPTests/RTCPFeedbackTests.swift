import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("RTCP feedback")
struct RTCPFeedbackTests {
    @Test("RFC 4585 section 6.2.1: a packet id and a mask") func nackBytes() throws {
        let nack = GenericNACK(
            sender: SSRC(1), media: SSRC(2), sequences: [100, 101, 103, 116, 117, 200].map { SequenceNumber($0) })
        let bytes = TestVector.bytes(hexadecimal: "81cd0005 00000001 00000002 00648005 00750000 00c80000")
        #expect(written(nack.write) == bytes)
        #expect(try withPacket(bytes) { try GenericNACK(parsing: $0) } == nack)
    }

    @Test("Runs across every boundary", arguments: [0, 32_767, 32_768, 65_535] as [UInt16])
    func nackEdges(first: UInt16) throws {
        let sequences = (0..<40).map { SequenceNumber(first &- 3 &+ $0) }
        let bytes = written(GenericNACK(sender: SSRC(1), media: SSRC(2), sequences: sequences).write)
        #expect(bytes.count == 12 + 3 * 4)
        #expect(try withPacket(bytes) { try GenericNACK(parsing: $0) }.sequences == sequences)
    }

    @Test func anEmptyNACKIsNotWritten() {
        #expect(written(GenericNACK(sender: SSRC(1), media: SSRC(2), sequences: []).write).isEmpty)
        #expect(written(FIR(sender: SSRC(1), entries: []).write).isEmpty)
    }

    @Test("RFC 4585 section 6.3.1: picture loss indication (PLI)") func pli() throws {
        let pli = PLI(sender: SSRC(1), media: SSRC(0xffff_ffff))
        let bytes = TestVector.bytes(hexadecimal: "81ce0002 00000001 ffffffff")
        #expect(written(pli.write) == bytes)
        #expect(try withPacket(bytes) { try PLI(parsing: $0) } == pli)
        #expect(throws: RTPError.truncated(.feedbackHeader)) {
            try withPacket([0x81, 0xce, 0, 1, 0, 0, 0, 1]) { try PLI(parsing: $0) }
        }
    }

    @Test("RFC 5104 section 4.3.1: full intra request") func fir() throws {
        let fir = FIR(
            sender: SSRC(1), entries: [.init(source: SSRC(7), sequence: 255), .init(source: SSRC(8), sequence: 0)])
        let bytes = TestVector.bytes(hexadecimal: "84ce0006 00000001 00000000 00000007 ff000000 00000008 00000000")
        #expect(written(fir.write) == bytes)
        #expect(try withPacket(bytes) { try FIR(parsing: $0) } == fir)
    }

    @Test("draft-alvestrand-rmcat-remb-03 section 2.2: bytes") func remb() throws {
        let remb = REMB(sender: SSRC(1), bitrate: Bitrate(rawValue: 0x3_ffff << 2), sources: [SSRC(5), SSRC(6)])
        let bytes = TestVector.bytes(
            hexadecimal: "8fce0006 00000001 00000000 52454d42 020bffff 00000005 00000006")
        #expect(written(remb.write) == bytes)
        #expect(try withPacket(bytes) { try REMB(parsing: $0) } == remb)
    }

    @Test(
        "Rates keep 18 bits, rounded down",
        arguments: [0, 1, 262_143, 262_144, 262_145, 1_000_000_007, .max] as [Int64])
    func rembRates(rate: Int64) throws {
        let bytes = written(REMB(sender: SSRC(1), bitrate: Bitrate(rawValue: rate), sources: []).write)
        let read = try withPacket(bytes) { try REMB(parsing: $0) }.bitrate.rawValue
        #expect(read <= rate && rate - read <= rate >> 17)
    }

    @Test func rembBeyondAllRatesIsNoLimit() throws {
        var bytes = written(REMB(sender: SSRC(1), bitrate: .kilobits(1), sources: []).write)
        bytes[17] = 0xff
        #expect(try withPacket(bytes) { try REMB(parsing: $0) }.bitrate.rawValue == .max)
        bytes[16] = 1
        #expect(throws: RTPError.truncated(.rembSources)) { try withPacket(bytes) { try REMB(parsing: $0) } }
    }
}
