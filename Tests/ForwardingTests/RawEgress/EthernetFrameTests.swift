import MediaBase
import MillraceTestKit
import Testing

@testable import Forwarding

@Suite("Headers of frames")
struct EthernetFrameTests {
    private static let route = EthernetRoute(
        ethernet: EthernetHeader(to: NetlinkCapture.peer, from: NetlinkCapture.own),
        source: IPv4Host(rawValue: 0xc0a8_0001), destination: IPv4Host(rawValue: 0xc0a8_00c7), interface: 3, mtu: 1_500,
        hopLimit: 64)

    /// Returns the headers that are written in front of a payload.
    private static func headers(_ route: EthernetRoute, payload: Int, segment: Int = 0, from: UInt16, to: UInt16)
        -> (offload: [UInt8], frame: [UInt8])
    {
        let count = EthernetFrame.offloadBytes + EthernetFrame.headerBytes
        let bytes = [UInt8](unsafeUninitializedCapacity: count + 8) { buffer, written in
            for i in 0..<(count + 8) { buffer[i] = 0xa5 }
            EthernetFrame.writeHeaders(
                route, from: from, to: to, payload: payload, segment: segment, at: buffer.baseAddress!)
            written = count + 8
        }
        #expect(bytes[count...].allSatisfy { $0 == 0xa5 }, "bytes behind the headers are changed")
        return (Array(bytes[..<EthernetFrame.offloadBytes]), Array(bytes[EthernetFrame.offloadBytes..<count]))
    }

    /// The IPv4 header is the example of Wikipedia's article on the header checksum.
    @Test("The headers are those of a known packet")
    func knownPacket() {
        let (offload, frame) = Self.headers(Self.route, payload: 87, from: 0x0035, to: 0xe97c)
        let expected = TestVector.bytes(
            hexadecimal: """
                020000000002 020000000001 0800
                4500 0073 0000 4000 4011 b861 c0a8 0001 c0a8 00c7
                0035 e97c 005f 8289
                """)
        #expect(frame == expected)
        // The device computes the checksum from byte 34 and stores it 6 bytes later; all 129 bytes are copied.
        #expect(offload == [1, 0, 129, 0, 0, 0, 34, 0, 6, 0])
    }

    @Test("A frame with several datagrams names their size and only its headers are copied")
    func segments() {
        let (offload, frame) = Self.headers(Self.route, payload: 1_420, segment: 142, from: 5_004, to: 6_000)
        #expect(offload == [1, 5, 42, 0, 142, 0, 34, 0, 6, 0])
        #expect(Array(frame[16..<18]) == [0x05, 0xa8])
        #expect(Array(frame[38..<40]) == [0x05, 0x94])
    }

    /// Completes the checksum as a device does, and verifies both as a receiver does.
    @Test("Receivers accept both checksums", arguments: [0, 1, 2, 87, 141, 142, 1_472, 65_507], [UInt64(1), 2, 3])
    func checksums(payload: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var route = Self.route
        route.source = IPv4Host(rawValue: seed == 3 ? .max : UInt32(truncatingIfNeeded: random.next()))
        route.destination = IPv4Host(rawValue: seed == 3 ? .max : UInt32(truncatingIfNeeded: random.next()))
        route.hopLimit = UInt8(truncatingIfNeeded: random.next())
        let port = UInt16(truncatingIfNeeded: random.next())
        let (_, frame) = Self.headers(route, payload: payload, from: port, to: ~port)
        let ipv4 = Array(frame[14..<34])
        #expect(Self.sum(ipv4) == 0xffff)
        var udp = Array(frame[34...]) + (0..<payload).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let checksum = ~Self.sum(udp)
        (udp[6], udp[7]) = (UInt8(checksum >> 8), UInt8(checksum & 0xff))
        let pseudo = Array(ipv4[12..<20]) + [0, 17] + [UInt8(udp.count >> 8), UInt8(udp.count & 0xff)]
        #expect(Self.sum(pseudo + udp) == 0xffff)
    }

    private static func sum(_ bytes: [UInt8]) -> UInt16 {
        var sum = 0
        for (i, byte) in bytes.enumerated() { sum += i % 2 == 0 ? Int(byte) << 8 : Int(byte) }
        while sum > 0xffff { sum = sum >> 16 + sum & 0xffff }
        return UInt16(sum)
    }
}
