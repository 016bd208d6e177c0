import MediaBase
import MillraceTestKit
import Testing

@testable import Forwarding

@Suite("Netlink messages")
struct NetlinkMessageTests {
    private static func body<R>(_ bytes: [UInt8], _ read: (UnsafeRawBufferPointer) -> R) throws -> R {
        try bytes.withUnsafeBytes { all in
            var rest = all
            let message = try #require(NetlinkMessage(from: &rest))
            #expect(rest.isEmpty)
            return read(message.body)
        }
    }

    private static func route(_ hexadecimal: String) throws -> RouteMessage? {
        try body(TestVector.bytes(hexadecimal: hexadecimal)) { RouteMessage(body: $0) }
    }

    @Test("Routes have their gateway, source address and limits")
    func routes() throws {
        let via = try #require(try Self.route(NetlinkCapture.routeViaGateway))
        #expect(via.destination.rawValue == 0x0a0a_0005)
        #expect(via.gateway?.rawValue == 0x0a09_0002)
        #expect(via.source?.rawValue == 0x0a09_0001)
        #expect(via.interface == 3)
        #expect(via.mtu == 1_400)
        #expect(via.hopLimit == nil)
        #expect(via.isPlain)
        let direct = try #require(try Self.route(NetlinkCapture.routeOnLink))
        #expect(direct.destination.rawValue == 0x0a09_004d)
        #expect(direct.gateway == nil && direct.source == nil && direct.mtu == nil && direct.isPlain)
        let own = try #require(try Self.route(NetlinkCapture.routeToItself))
        #expect(!own.isPlain)
    }

    @Test(
        "Routes with encapsulation, several next hops or a dead link are not plain", arguments: [9, 18, 19, 21, 22, 0])
    func specialRoutes(attribute: UInt8) throws {
        var bytes = TestVector.bytes(hexadecimal: NetlinkCapture.routeOnLink)
        if attribute == 0 {
            bytes[24] = 1  // RTNH_F_DEAD
        } else {
            bytes += [8, 0, attribute, 0, 1, 2, 3, 4]
            bytes[0] += 8
        }
        let route = try #require(try Self.body(bytes) { RouteMessage(body: $0) })
        #expect(!route.isPlain)
    }

    @Test("Neighbours have an address only in the states in which the kernel sends to it")
    func neighbours() throws {
        let captured = TestVector.bytes(hexadecimal: NetlinkCapture.neighbour)
        // NUD_INCOMPLETE, REACHABLE, STALE, DELAY, PROBE, FAILED, NOARP, PERMANENT.
        for (bit, isUsable) in [false, true, true, true, true, false, false, true].enumerated() {
            var bytes = captured
            bytes[24] = 1 << bit
            let found = try #require(try Self.body(bytes) { NeighbourMessage(body: $0, isRemoved: false) })
            #expect(found.interface == 3 && found.host.rawValue == 0x0a09_0002)
            #expect(found.address == (isUsable ? NetlinkCapture.peer : nil))
        }
        let removed = try Self.body(captured) { NeighbourMessage(body: $0, isRemoved: true) }
        #expect(removed != nil && removed?.address == nil)
    }

    @Test("Bridges' addresses and proxies are no neighbours")
    func otherNeighbours() throws {
        var bridge = TestVector.bytes(hexadecimal: NetlinkCapture.neighbour)
        bridge[16] = 7
        var proxy = TestVector.bytes(hexadecimal: NetlinkCapture.neighbour)
        proxy[26] = 8
        for bytes in [bridge, proxy] {
            let found = try Self.body(bytes) { NeighbourMessage(body: $0, isRemoved: false) }
            #expect(found == nil)
        }
    }

    @Test("Only Ethernet devices that are up and no part of a VRF have an address")
    func links() throws {
        func address(_ bytes: [UInt8]) throws -> EthernetAddress? {
            try Self.body(bytes) { LinkMessage(body: $0, isRemoved: false) }?.address
        }
        #expect(try address(NetlinkCapture.link()) == NetlinkCapture.own)
        #expect(try address(NetlinkCapture.link(kind: "vrf")) == nil)
        #expect(try address(NetlinkCapture.link(device: 772)) == nil)  // loopback
        #expect(try address(NetlinkCapture.link(device: 65_534)) == nil)  // tunnel
        #expect(try address(NetlinkCapture.link(flags: 0x1002)) == nil)  // down
        #expect(try address(NetlinkCapture.link(flags: 0x0001_10c3)) == nil)  // without ARP
        #expect(try address(NetlinkCapture.link(mtu: 0)) == nil)
        #expect(try address(NetlinkCapture.link(address: "000000000000")) == nil)
        #expect(try address(NetlinkCapture.link(address: "0200000001")) == nil)
    }

    @Test("Damaged and shortened messages never trap", arguments: [UInt64(1), 2, 3, 4])
    func damage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let messages =
            [
                NetlinkCapture.routeViaGateway, NetlinkCapture.routeToItself, NetlinkCapture.unreachable,
                NetlinkCapture.neighbour, NetlinkCapture.removedNeighbour, NetlinkCapture.removedRoute,
            ].map(TestVector.bytes(hexadecimal:)) + [NetlinkCapture.link()]
        for _ in 0..<20_000 {
            var bytes = messages[random.below(messages.count)] + messages[random.below(messages.count)]
            for _ in 0..<random.below(6) { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
            bytes.removeLast(random.below(bytes.count))
            bytes.withUnsafeBytes { all in
                var rest = all
                while let message = NetlinkMessage(from: &rest) {
                    _ = RouteMessage(body: message.body)
                    _ = NeighbourMessage(body: message.body, isRemoved: false)
                    _ = LinkMessage(body: message.body, isRemoved: false)
                }
            }
        }
    }
}
