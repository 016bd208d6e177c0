import Glibc
import MediaBase
import MillraceTestKit
import Testing

@Suite("A network in virtual time")
struct VirtualNetworkTests {
    static func address(_ n: Int, port: UInt16 = 5000) -> SocketAddress {
        SocketAddress(octets: [10, 0, UInt8(n >> 8), UInt8(n & 255)], port: port)!
    }

    /// Sends a numbered datagram each `interval` to `to` and records what it receives.
    final class Peer {
        let network: VirtualNetwork
        let address: SocketAddress
        let to: SocketAddress?
        let interval: MediaTime
        var next: MediaTime
        var sent = 0
        var received: [(bytes: [UInt8], from: SocketAddress, at: MediaTime)] = []
        var id: VirtualNetwork.ID = -1

        init(_ network: VirtualNetwork, at address: SocketAddress, to: SocketAddress? = nil, every interval: MediaTime)
        {
            self.network = network
            self.address = address
            self.to = to
            self.interval = interval
            next = to == nil ? .never : network.now
            id = network.add(
                VirtualEndpoint(
                    receive: { [unowned self] bytes, from, _, now in received.append((Array(bytes), from, now)) },
                    deadline: { [unowned self] in next },
                    handleTimeout: { [unowned self] now in
                        let bytes = [UInt8(truncatingIfNeeded: sent >> 8), UInt8(truncatingIfNeeded: sent)]
                        network.send(bytes + [UInt8](repeating: 7, count: sent % 1000), from: address, to: self.to!)
                        sent += 1
                        next = now + self.interval
                    }), at: [address])
        }
    }

    @Test func datagramsComeWithTheirContentsAndTime() throws {
        let network = VirtualNetwork(seed: 1)
        network.conditions = LinkConditions(delay: .milliseconds(25))
        let receiver = Peer(network, at: Self.address(1), every: .never)
        let sender = Peer(network, at: Self.address(2), to: Self.address(1), every: .milliseconds(10))
        network.run(until: .milliseconds(1000))
        #expect(network.now == .milliseconds(1000))
        #expect(sender.sent == 101 && receiver.received.count == 98)
        for (i, datagram) in receiver.received.enumerated() {
            #expect(datagram.bytes.prefix(2) == [0, UInt8(i)] && datagram.bytes.count == i + 2)
            #expect(datagram.from == Self.address(2) && datagram.at == .milliseconds(Int64(i) * 10 + 25))
        }
        #expect(network.inFlight == 3)
        network.run(until: .milliseconds(1000))
        #expect(sender.sent == 101, "nothing happens twice")
    }

    @Test("Events at the same time happen in order of insertion")
    func orderAtOneInstant() {
        let network = VirtualNetwork(seed: 1)
        let receiver = Peer(network, at: Self.address(1), every: .never)
        for i in 0..<100 { network.send([UInt8(i)], from: Self.address(i + 2), to: Self.address(1)) }
        var actions: [Int] = []
        for i in 0..<10 { network.schedule(at: .milliseconds(5)) { actions.append(i) } }
        network.schedule(at: .milliseconds(4)) { actions.append(-1) }
        network.run(until: .milliseconds(5))
        #expect(receiver.received.map(\.bytes) == (0..<100).map { [UInt8($0)] })
        #expect(actions == [-1] + Array(0..<10))
    }

    @Test func linksHaveTheirOwnConditions() {
        let network = VirtualNetwork(seed: 1)
        let hub = Peer(network, at: Self.address(1), every: .never)
        let lossy = Peer(network, at: Self.address(2), to: hub.address, every: .milliseconds(1))
        let clean = Peer(network, at: Self.address(3), to: hub.address, every: .milliseconds(1))
        network.set(LinkConditions(loss: 0.5, delay: .zero), from: lossy.address, to: hub.address)
        network.schedule(at: .milliseconds(2000)) {
            network.set(LinkConditions(), from: lossy.address, to: hub.address)
        }
        network.run(until: .milliseconds(4000))
        #expect(hub.received.count { $0.from == clean.address } == clean.sent)
        let early = hub.received.count { $0.from == lossy.address && $0.at < .milliseconds(2000) }
        let late = hub.received.count { $0.from == lossy.address && $0.at >= .milliseconds(2000) }
        #expect((880...1120).contains(early) && late == 2001)
        #expect(network.statistics(from: lossy.address, to: hub.address).lost == 2000 - early)
        #expect(network.statistics(from: hub.address, to: lossy.address) == LinkStatistics())
    }

    @Test func addressesMoveAndGo() {
        let network = VirtualNetwork(seed: 1)
        network.conditions = LinkConditions(delay: .milliseconds(10))
        let peer = Peer(network, at: Self.address(1), every: .never)
        let second = Self.address(9)
        network.send([1], from: Self.address(2), to: peer.address)
        network.send([2], from: Self.address(2), to: second)
        network.run(until: .milliseconds(20))
        #expect(peer.received.map(\.bytes) == [[1]] && network.unreachable == 1)
        network.bind(second, to: peer.id)
        network.unbind(peer.address)
        network.send([3], from: Self.address(2), to: peer.address)
        network.send([4], from: Self.address(2), to: second)
        network.run(until: .milliseconds(40))
        #expect(peer.received.map(\.bytes) == [[1], [4]])
        network.send([5], from: Self.address(2), to: second)
        network.remove(peer.id)
        network.run(until: .milliseconds(60))
        #expect(peer.received.count == 2 && network.unreachable == 3 && network.inFlight == 0)
    }

    @Test func timeoutsFollowTheDeadline() {
        let network = VirtualNetwork(seed: 1)
        var deadline = MediaTime.milliseconds(50)
        var timeouts: [MediaTime] = []
        let id = network.add(
            VirtualEndpoint(
                receive: { _, _, _, _ in deadline = .milliseconds(70) }, deadline: { deadline },
                handleTimeout: { now in
                    timeouts.append(now)
                    deadline = .never
                }), at: [Self.address(1)])
        // Postponed before it was due.
        network.send([1], from: Self.address(2), to: Self.address(1))
        network.run(until: .milliseconds(60))
        #expect(timeouts.isEmpty)
        network.run(until: .milliseconds(100))
        #expect(timeouts == [.milliseconds(70)])
        deadline = .milliseconds(110)
        network.wake(id)
        deadline = .milliseconds(105)
        network.wake(id)
        network.run(until: .milliseconds(200))
        #expect(timeouts == [.milliseconds(70), .milliseconds(105)])
        deadline = .milliseconds(150)
        network.wake(id)
        network.run(until: .milliseconds(200))
        #expect(timeouts.last == .milliseconds(200), "one that is late is called at once")
        deadline = .milliseconds(300)
        network.wake(id)
        network.remove(id)
        network.run(until: .milliseconds(400))
        #expect(timeouts.count == 3)
    }

    @Test func datagramsOfAllSizes() {
        let network = VirtualNetwork(seed: 1)
        let peer = Peer(network, at: Self.address(1), every: .never)
        let sizes = [0, 1, 2047, 2048, 2049, 65_507, 5, 3000]
        for size in sizes { network.send([UInt8](repeating: 3, count: size), from: Self.address(2), to: peer.address) }
        network.run(until: .milliseconds(1))
        #expect(peer.received.map(\.bytes.count) == sizes)
        #expect(peer.received.allSatisfy { $0.bytes.allSatisfy { $0 == 3 } })
    }

    /// A relay in the middle that forwards each datagram to the two peers after its sender.
    static func star(peers count: Int, seed: UInt64, extra: Bool = false, until end: MediaTime) -> (
        VirtualNetwork, [Peer]
    ) {
        let network = VirtualNetwork(seed: seed)
        network.conditions = LinkConditions(loss: 0.05, delay: .milliseconds(20))
        network.conditions.jitter = .bell(.milliseconds(3))
        network.conditions.reordering = 0.01
        network.conditions.duplication = 0.01
        let relay = address(0)
        var addresses = [relay]
        network.add(
            VirtualEndpoint(receive: { bytes, from, _, _ in
                let index = Int(from.port) - 5000
                for next in 1...2 { network.send(bytes, from: relay, to: addresses[(index - 1 + next) % count + 1]) }
            }), at: [relay])
        let others = extra ? [Peer(network, at: address(4000), to: address(4001), every: .milliseconds(7))] : []
        let peers = (1...count).map { i in
            Peer(network, at: address(i, port: UInt16(5000 + i)), to: relay, every: .milliseconds(10))
        }
        addresses += peers.map(\.address)
        withExtendedLifetime(others) { network.run(until: end) }
        return (network, peers)
    }

    @Test("The same seed gives the same trace, another one another")
    func traces() {
        let first = Self.star(peers: 10, seed: 3, until: .milliseconds(2000)).0
        let second = Self.star(peers: 10, seed: 3, until: .milliseconds(2000)).0
        #expect(first.trace == second.trace && first.delivered == second.delivered && first.delivered > 5000)
        #expect(Self.star(peers: 10, seed: 4, until: .milliseconds(2000)).0.trace != first.trace)
    }

    @Test("One more endpoint does not change the random numbers of the others")
    func independence() {
        let plain = Self.star(peers: 5, seed: 3, until: .milliseconds(1000)).1
        let more = Self.star(peers: 5, seed: 3, extra: true, until: .milliseconds(1000)).1
        for (a, b) in zip(plain, more) {
            #expect(a.received.map(\.at) == b.received.map(\.at) && a.received.map(\.bytes) == b.received.map(\.bytes))
        }
    }

    /// CPU time of this thread: with other tests running, a clock would measure the machine.
    private static var threadTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    @Test("100 peers, 30,000 datagrams a second, 5 % loss: faster than real time")
    func speed() {
        let start = Self.threadTime
        let (network, peers) = Self.star(peers: 100, seed: 1, until: .milliseconds(5000))
        let elapsed = Self.threadTime - start
        // Each of 50,100 is lost on the way in with 5 %, each copy of it on the way out.
        #expect(abs(Double(network.delivered) / (50_100 * 0.95 * 1.01 * (1 + 2 * 0.95 * 1.01)) - 1) < 0.02)
        #expect(peers.allSatisfy { $0.received.count > 700 })
        #expect(network.inFlight < 2000)
        #expect(elapsed < .seconds(5), "\(elapsed) for 5 s")
    }
}
