import MillraceTestKit

@testable import Forwarding

/// Messages of Linux 6.18 from a network namespace with a veth pair: 10.9.0.1/24 on interface 3 (02:00:00:00:00:01, MTU 1500), 10.10.0.0/16
/// via 10.9.0.2 with MTU 1400. Sequence numbers are replaced.
enum NetlinkCapture {
    static let own = EthernetAddress(rawValue: 0x0200_0000_0001)
    static let peer = EthernetAddress(rawValue: 0x0200_0000_0002)
    static let other = EthernetAddress(rawValue: 0x0200_0000_0099)

    /// Answer: 10.10.0.5 via 10.9.0.2 from 10.9.0.1.
    static let routeViaGateway = """
        7c00000018000000070000003b78000002200000fe0000010002000008000f00fe000000080001000a0a00050800040003000000\
        080007000a090001080005000a0900020c0008000800020078050000080019000000000024000c00020000000000000000000000\
        0000000000000000000000000000000000000000
        """
    /// Answer: 10.9.0.77 on the link, to a request with source 10.9.0.1.
    static let routeOnLink = """
        6800000018000000080000003b78000002202000fe0000010002000008000f00fe000000080001000a09004d080002000a090001\
        0800040003000000080019000000000024000c000200000000000000000000000000000000000000000000000000000000000000
        """
    /// Answer: 127.0.0.1, a local address.
    static let routeToItself = """
        6800000018000000090000003b78000002200000fe0000020002008008000f00fe000000080001007f0000010800040001000000\
        080007007f000001080019000000000024000c000200000000000000000000000000000000000000000000000000000000000000
        """
    /// Answer: the network is unreachable.
    static let unreachable = """
        3800000002000000090000003b7800009bffffff240000001a000100090000000000000002200000000000000000000008000100\
        08080808
        """
    /// Answer: 10.9.0.2 is reachable at 02:00:00:00:00:02.
    static let neighbour = """
        4c0000001c0000000a0000003b780000020000000300000002000001080001000a0900020a000200020000000002000008000400\
        000000001400030000000000000000000000000002000000
        """
    /// Answer: no such neighbour.
    static let noNeighbour = """
        38000000020000000b0000003b780000feffffff240000001e0001000b0000000000000002000000030000000000000008000100\
        0a090003
        """
    /// Notification: 10.9.0.2 is now at 02:00:00:00:00:99.
    static let changedNeighbour = """
        4c0000001c000000000000006d780000020000000300000002000001080001000a0900020a000200020000000099000008000400\
        000000001400030000000000010000000000000002000000
        """
    /// Notification: the address of 10.9.0.2 is not known any more.
    static let failedNeighbour = """
        400000001c000000000000006f780000020000000300000020000001080001000a09000208000400000000001400030003000000\
        040000000300000001000000
        """
    /// Notification: 10.9.0.2 is no neighbour any more.
    static let removedNeighbour = """
        400000001d0000000000000000000000020000000300000020000001080001000a09000208000400000000001400030003000000\
        040000000300000000000000
        """
    /// Notification: the route to 10.10.0.0/16 is gone.
    static let removedRoute = """
        4800000019000000c6720a6b7178000002100000fe0300010000000008000f00fe000000080001000a0a00000c00080008000200\
        78050000080005000a0900020800040003000000
        """

    /// Returns an interface's state, in the form of the captured one but without its statistics.
    static func link(
        _ index: UInt8 = 3, device: UInt16 = 1, flags: UInt32 = 0x0001_1043, mtu: UInt32 = 1_500,
        address: String = "020000000001", kind: String = "veth", type: UInt16 = 16
    ) -> [UInt8] {
        let kindValue = Array(kind.utf8) + [0]
        let body =
            [0, 0] + bytes(device) + [index, 0, 0, 0] + bytes(flags) + bytes(UInt32(0))
            + attribute(3, Array("v0".utf8) + [0]) + attribute(4, bytes(mtu))
            + attribute(1, TestVector.bytes(hexadecimal: address))
            + attribute(18, attribute(1, kindValue))
        return bytes(UInt32(body.count + 16)) + bytes(type) + bytes(UInt16(0)) + bytes(UInt64(0)) + body
    }

    /// Returns a message as an answer with a sequence number.
    static func answer(_ message: [UInt8], _ sequence: UInt32) -> [UInt8] {
        message[..<8] + bytes(sequence) + message[12...]
    }

    /// Returns a captured message as an answer with a sequence number.
    static func answer(_ message: String, _ sequence: UInt32) -> [UInt8] {
        answer(TestVector.bytes(hexadecimal: message), sequence)
    }

    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        return bytes(UInt16(value.count + 4)) + bytes(type) + value + padding
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
