import RTP
import Testing

@Suite("Datagrams on one port (RFC 7983, RFC 5761)")
struct DatagramKindTests {
    @Test("Section 7: ranges of the first byte", arguments: 0...255 as ClosedRange<UInt8>)
    func firstByte(first: UInt8) {
        let expected: DatagramKind =
            switch first {
            case 0...3: .stun
            case 16...19: .zrtp
            case 20...63: .dtls
            case 64...79: .turnChannel
            case 128...191: .rtp
            default: .unknown
            }
        #expect([first, 96].withUnsafeBytes { DatagramKind($0) } == expected)
    }

    @Test(
        "The second byte distinguishes RTP from RTCP",
        arguments: [
            (0, false), (96, false), (191, false), (192, true), (200, true), (207, true), (223, true), (224, false),
            (255, false),
        ] as [(UInt8, Bool)])
    func secondByte(second: UInt8, isRTCP: Bool) {
        #expect(DatagramKind(firstByte: 0x80, secondByte: second) == (isRTCP ? .rtcp : .rtp))
    }

    @Test func tooShortToTell() {
        #expect([UInt8]().withUnsafeBytes { DatagramKind($0) } == .unknown)
        #expect([0x80 as UInt8].withUnsafeBytes { DatagramKind($0) } == .unknown)
    }
}
