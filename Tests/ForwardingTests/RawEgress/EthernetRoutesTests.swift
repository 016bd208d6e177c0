import MediaBase
import MillraceTestKit
import Testing

@testable import Forwarding

@Suite("Routes of frames")
struct EthernetRoutesTests {
    private static let far = IPv4Host(rawValue: 0x0a0a_0005)
    private static let near = IPv4Host(rawValue: 0x0a09_004d)
    private static let own = IPv4Host(rawValue: 0x0a09_0001)
    private static let start = MediaTime.seconds(100)

    /// Routes, with a kernel that has the state of `NetlinkCapture`.
    private final class Host {
        var routes = EthernetRoutes(hopLimit: 64)
        var requests: [[UInt8]] = []
        var hasNeighbour = true
        var link = NetlinkCapture.link()

        /// Answers all requests.
        func answer(now: MediaTime) {
            while let request = nextRequest() {
                requests.append(request)
                let sequence = UInt32(request[8]) | UInt32(request[9]) << 8
                let answer =
                    switch request[4] {
                    case 26 where request[32..<36] == [10, 10, 0, 5]:
                        NetlinkCapture.answer(NetlinkCapture.routeViaGateway, sequence)
                    case 26 where request[32..<36] == [10, 9, 0, 77]:
                        NetlinkCapture.answer(NetlinkCapture.routeOnLink, sequence)
                    case 26 where request[32..<36] == [127, 0, 0, 1]:
                        NetlinkCapture.answer(NetlinkCapture.routeToItself, sequence)
                    case 26: NetlinkCapture.answer(NetlinkCapture.unreachable, sequence)
                    case 30 where hasNeighbour && request[32..<36] == [10, 9, 0, 2]:
                        NetlinkCapture.answer(NetlinkCapture.neighbour, sequence)
                    case 30: NetlinkCapture.answer(NetlinkCapture.noNeighbour, sequence)
                    default: NetlinkCapture.answer(link, sequence)
                    }
                answer.withUnsafeBytes { routes.receive(answers: $0, now: now) }
            }
        }

        func nextRequest() -> [UInt8]? {
            var request = [UInt8](repeating: 0xa5, count: EthernetRoutes.requestBytes)
            let length = request.withUnsafeMutableBytes { routes.writeRequest(to: $0) }
            return length > 0 ? Array(request[..<length]) : nil
        }

        func notify(_ bytes: [UInt8]) { bytes.withUnsafeBytes { routes.receive(notifications: $0) } }
        func notify(_ hexadecimal: String) { notify(TestVector.bytes(hexadecimal: hexadecimal)) }

        func route(_ host: IPv4Host = EthernetRoutesTests.far, from: IPv4Host = .any, now: MediaTime) -> EthernetRoute?
        {
            routes.route(to: host, from: from, now: now)
        }

        /// Returns the hardware address that frames go to; nil if they leave through the kernel.
        func peer(_ host: IPv4Host = EthernetRoutesTests.far, now: MediaTime) -> UInt64? {
            route(host, now: now).map { route in
                var bytes = [UInt8](repeating: 0, count: 16)
                bytes.withUnsafeMutableBytes { route.ethernet.write(to: $0.baseAddress!) }
                return bytes[..<6].reduce(0) { $0 << 8 | UInt64($1) }
            }
        }

        /// Has a route to the far destination, whose next message through the kernel is due a second after `start`.
        init(learned: Bool = true) {
            guard learned else { return }
            _ = route(now: EthernetRoutesTests.start)
            answer(now: EthernetRoutesTests.start)
            _ = route(now: EthernetRoutesTests.start)
        }
    }

    @Test("A destination leaves through the kernel until its route, neighbour and interface are known")
    func learning() throws {
        let host = Host(learned: false)
        #expect(host.route(now: Self.start) == nil)
        #expect(host.route(now: Self.start) == nil)
        host.answer(now: Self.start)
        // A single question for each, although the destination was used twice.
        #expect(host.requests.map { $0[4] } == [26, 18, 30])
        // In the form of rtnetlink(7).
        #expect(
            host.requests[0]
                == TestVector.bytes(
                    hexadecimal: "240000001a0001000100000000000000022000000000000000000000080001000a0a0005"))
        #expect(
            host.requests[2]
                == TestVector.bytes(
                    hexadecimal: "240000001e00010003000000000000000200000003000000 00000000080001000a090002"))
        // The first message after that leaves through the kernel too.
        #expect(host.route(now: Self.start) == nil)
        let route = try #require(host.route(now: Self.start))
        #expect(route.source == Self.own && route.destination == Self.far && route.interface == 3)
        #expect(route.mtu == 1_400 && route.hopLimit == 64)
        #expect(host.peer(now: Self.start) == 0x0200_0000_0002)
    }

    @Test("One message a second leaves through the kernel")
    func kernelShare() {
        let host = Host()
        let sent = (0..<5_000).filter { host.route(now: Self.start + .milliseconds(Int64($0))) == nil }
        #expect(sent == [1_000, 2_000, 3_000, 4_000])
    }

    @Test("A new hardware address of a neighbour is followed at once, and a lost one ends frames")
    func changedNeighbour() {
        let host = Host()
        host.notify(NetlinkCapture.changedNeighbour)
        #expect(host.peer(now: Self.start) == 0x0200_0000_0099)
        host.notify(NetlinkCapture.failedNeighbour)
        #expect(host.peer(now: Self.start) == nil)
        host.notify(NetlinkCapture.changedNeighbour)
        #expect(host.peer(now: Self.start) == 0x0200_0000_0099)
        host.notify(NetlinkCapture.removedNeighbour)
        #expect(host.peer(now: Self.start) == nil)
    }

    @Test("A neighbour that the kernel resolves later is used from then on")
    func lateNeighbour() {
        let host = Host(learned: false)
        host.hasNeighbour = false
        _ = host.route(now: Self.start)
        host.answer(now: Self.start)
        #expect(host.peer(now: Self.start) == nil)
        host.notify(NetlinkCapture.neighbour)
        _ = host.peer(now: Self.start)
        #expect(host.peer(now: Self.start) == 0x0200_0000_0002)
    }

    @Test("A change of any route ends frames until the kernel has been asked again")
    func changedRoute() {
        let host = Host()
        host.notify(NetlinkCapture.removedRoute)
        #expect(host.route(now: Self.start) == nil)
        host.answer(now: Self.start)
        #expect(host.route(now: Self.start) != nil)
    }

    @Test("An answer to a question from before a change of routes is not used")
    func lateAnswer() throws {
        let host = Host()
        host.notify(NetlinkCapture.removedRoute)
        _ = host.route(now: Self.start)
        let request = try #require(host.nextRequest())
        host.notify(NetlinkCapture.removedRoute)
        NetlinkCapture.answer(NetlinkCapture.routeViaGateway, UInt32(request[8])).withUnsafeBytes {
            host.routes.receive(answers: $0, now: Self.start)
        }
        #expect(host.route(now: Self.start) == nil)
        host.answer(now: Self.start)
        #expect(host.route(now: Self.start) != nil)
    }

    @Test("Frames end while the interface is down, and follow its MTU and address")
    func changedLink() {
        let host = Host()
        host.notify(NetlinkCapture.link(flags: 0x1002))
        #expect(host.route(now: Self.start) == nil)
        host.notify(NetlinkCapture.link(mtu: 1_280))
        #expect(host.route(now: Self.start)?.mtu == 1_280)
        host.notify(NetlinkCapture.link(type: 17))
        #expect(host.route(now: Self.start) == nil)
    }

    @Test("After lost notifications everything is asked again")
    func lostNotifications() {
        let host = Host()
        host.routes.receiveLoss()
        #expect(host.route(now: Self.start) == nil)
        host.requests = []
        host.answer(now: Self.start)
        #expect(Set(host.requests.map { $0[4] }) == [26, 18, 30])
        #expect(host.route(now: Self.start) != nil)
    }

    @Test("Own and unreachable addresses leave through the kernel", arguments: [0x7f00_0001, 0x0808_0808])
    func unusable(address: UInt32) {
        let host = Host(learned: false)
        for second in 0..<30 {
            let now = Self.start + .seconds(Double(second))
            #expect(host.route(IPv4Host(rawValue: address), now: now) == nil)
            host.answer(now: now)
        }
        // Asked again every ten seconds.
        #expect(host.requests.count { $0[4] == 26 } == 3)
    }

    @Test("A requested source address is that of the packets")
    func source() throws {
        let host = Host(learned: false)
        _ = host.route(Self.near, from: Self.own, now: Self.start)
        host.answer(now: Self.start)
        host.notify(
            NetlinkCapture.answer(NetlinkCapture.neighbour, 0).replacing(
                [10, 9, 0, 2], with: [10, 9, 0, 77]))
        _ = host.route(Self.near, from: Self.own, now: Self.start)
        let route = try #require(host.route(Self.near, from: Self.own, now: Self.start))
        #expect(route.source == Self.own && route.mtu == 1_500)
        // The same destination from another address is a route of its own.
        #expect(host.route(Self.near, from: .any, now: Self.start) == nil)
    }

    @Test("A route is asked for every ten seconds while it is used, and again after a second without an answer")
    func refresh() {
        let host = Host()
        host.requests = []
        for second in 0..<31 {
            let now = Self.start + .seconds(Double(second))
            _ = host.route(now: now)
            host.answer(now: now)
        }
        #expect(host.requests.count == 3)
        let lost = Host(learned: false)
        var asked = 0
        for millisecond in 0..<3_500 {
            _ = lost.route(now: Self.start + .milliseconds(Int64(millisecond)))
            while lost.nextRequest() != nil { asked += 1 }
        }
        #expect(asked == 4)
    }

    @Test("Destinations are bounded, keep their routes while the table grows, and are removed after a minute")
    func bounds() {
        let host = Host()
        for i in 0..<100_000 {
            _ = host.route(IPv4Host(rawValue: 0x0b00_0000 + UInt32(i)), now: Self.start)
            if i % 500 == 0 { host.answer(now: Self.start) }
        }
        #expect(host.routes.count <= EthernetRoutes.limit)
        #expect(host.routes.count > EthernetRoutes.limit / 2)
        #expect(host.route(now: Self.start) != nil)
        host.routes.removeIdle(now: Self.start + .seconds(59))
        #expect(host.routes.count > 1)
        _ = host.route(now: Self.start + .seconds(59))
        host.routes.removeIdle(now: Self.start + .seconds(61))
        #expect(host.routes.count == 1)
        _ = host.route(now: Self.start + .seconds(61))
        #expect(host.route(now: Self.start + .seconds(61)) != nil)
        host.routes.removeIdle(now: Self.start + .seconds(200))
        #expect(host.routes.count == 0)
    }

    @Test("Damaged answers and notifications never trap", arguments: [UInt64(1), 2, 3])
    func damage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let host = Host()
        let messages =
            [
                NetlinkCapture.routeViaGateway, NetlinkCapture.routeOnLink, NetlinkCapture.unreachable,
                NetlinkCapture.neighbour, NetlinkCapture.changedNeighbour, NetlinkCapture.removedRoute,
            ].map(TestVector.bytes(hexadecimal:)) + [NetlinkCapture.link()]
        for step in 0..<20_000 {
            let now = Self.start + .milliseconds(Int64(step))
            _ = host.route(IPv4Host(rawValue: 0x0a0a_0000 + UInt32(random.below(9))), now: now)
            var bytes = messages[random.below(messages.count)]
            if let request = host.nextRequest() {
                bytes = NetlinkCapture.answer(bytes, UInt32(request[8]) | UInt32(request[9]) << 8)
            }
            for _ in 0..<random.below(4) { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
            bytes.removeLast(random.below(8))
            bytes.withUnsafeBytes {
                if step % 2 == 0 {
                    host.routes.receive(answers: $0, now: now)
                } else {
                    host.routes.receive(notifications: $0)
                }
            }
            if step % 1_000 == 0 { host.routes.removeIdle(now: now) }
        }
        #expect(host.routes.count <= 10)
    }
}
