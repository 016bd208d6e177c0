import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("RFC 3550 section 6.7: packets of applications")
struct APPTests {
    @Test("A packet with words") func bytes() throws {
        let packet = APP(sender: SSRC(1), subtype: 3, name: 0x4d4c_5243, words: [5, .max])
        let bytes = TestVector.bytes(hexadecimal: "83cc0004 00000001 4d4c5243 00000005 ffffffff")
        #expect(written(packet.write) == bytes)
        #expect(try withPacket(bytes) { try APP(parsing: $0) } == packet)
    }

    @Test("A packet without a name, one with a part of a word, and one of another type are refused") func malformed() {
        #expect(throws: RTPError.truncated(.applicationData)) {
            try withPacket([0x83, 0xcc, 0, 1, 0, 0, 0, 1]) { try APP(parsing: $0) }
        }
        #expect(throws: RTPError.truncated(.applicationData)) {
            try withPacket([0xa3, 0xcc, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1]) { try APP(parsing: $0) }
        }
        #expect(throws: RTPError.unexpected(.rtcpPacketType)) {
            try withPacket([0x81, 0xce, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2]) { try APP(parsing: $0) }
        }
    }
}
