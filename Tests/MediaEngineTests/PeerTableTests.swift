import DTLS
import MediaBase
import SDP
import Testing
import Transport

@testable import MediaEngine

@Suite("Table of WebRTC peers")
struct PeerTableTests {
    private static let identity = try? DTLSIdentity.generate(.ecdsaP256)
    private let total = WorkerTotal(workers: 2)

    private func peer(_ name: String) throws -> WebRTCPeer {
        let identity = try #require(Self.identity)
        var random = SystemRandomNumberGenerator()
        let description = PeerDescription(
            credentials: .random(using: &random), fingerprints: [identity.fingerprint], setup: .actpass)
        let credentials = ICECredentials.random(using: &random)
        let transport = try WebRTCTransport(
            .init(credentials: credentials, peer: description, identity: identity, role: .server), now: .zero)
        return WebRTCPeer(
            id: TransportID(rawValue: name), direction: .publish, session: "a", credentials: credentials,
            peer: description, transport: transport)
    }

    private func address(_ port: UInt16) -> PeerAddress {
        PeerAddress(SocketAddress("10.0.0.1", port: port)!)
    }

    @Test("An address belongs to the peer that used it last") func takenAddress() throws {
        var table = PeerTable(total: total, worker: 0)
        let (a, b) = (try peer("a"), try peer("b"))
        table.insert(a, fragment: "fa", now: .zero)
        table.insert(b, fragment: "fb", now: .zero)
        let isFirst = table.note(address(1), of: a, now: .zero)
        let isRepeated = table.note(address(1), of: a, now: .zero)
        #expect(isFirst == .added(instead: nil) && isRepeated == .known)
        let isTaken = table.note(address(1), of: b, now: .zero)
        #expect(isTaken == .added(instead: nil) && table.peer(at: address(1)) === b)
        // The end of the earlier peer leaves the address to the later one.
        let addresses = table.remove(a)
        #expect(addresses == [] && table.peer(at: address(1)) === b)
        let forgotten = table.forget(address(1))
        #expect(forgotten === b && table.peer(at: address(1)) == nil)
    }

    @Test("A ninth address replaces the oldest one that is not in use") func manyAddresses() throws {
        var table = PeerTable(total: total, worker: 0)
        let a = try peer("a")
        table.insert(a, fragment: "fa", now: .zero)
        a.assume(address(1))
        for port in 1...8 as ClosedRange<UInt16> { _ = table.note(address(port), of: a, now: .zero) }
        let ninth = table.note(address(9), of: a, now: .zero)
        #expect(ninth == .added(instead: address(2)))
        #expect(table.peer(at: address(1)) === a && table.peer(at: address(2)) == nil)
        #expect(table.peer(at: address(9)) === a)
        let addresses = table.remove(a)
        #expect(addresses?.count == PeerTable.maximumAddresses && table.peer(at: address(9)) == nil)
        let again = table.remove(a)
        #expect(again == nil)
    }

    @Test("Two fragments find a peer during an ICE restart; a third replaces the first") func fragments() throws {
        var table = PeerTable(total: total, worker: 0)
        let (a, b) = (try peer("a"), try peer("b"))
        table.insert(a, fragment: "f1", now: .zero)
        table.insert(b, fragment: "g1", now: .zero)
        table.add(fragment: "f2", of: a)
        #expect(table.peer(fragment: "f1") === a && table.peer(fragment: "f2") === a)
        table.add(fragment: "f3", of: a)
        #expect(table.peer(fragment: "f1") == nil && table.peer(fragment: "f3") === a)
        _ = table.remove(a)
        #expect(table.peer(fragment: "f2") == nil && table.peer(fragment: "f3") == nil)
        #expect(table.peer(fragment: "g1") === b && b.index == 0 && table[b.id] === b)
    }

    @Test("The relay offers the same credentials until ICE restarts with them, and the peer is found by them")
    func restart() throws {
        var table = PeerTable(total: total, worker: 0)
        var numbers = IdentifierSource(worker: 0, seed: 1)
        let a = try peer("a")
        table.insert(a, fragment: a.credentials.local.ufrag, now: .zero)
        let offered = table.prepareRestart(of: a, &numbers)
        let again = table.prepareRestart(of: a, &numbers)
        #expect(again == offered && table.peer(fragment: offered.ufrag) == nil)
        var random = SystemRandomNumberGenerator()
        let remote = ICECredentials.random(using: &random)
        let local = table.restartICE(of: a, to: remote, &numbers, now: .zero)
        #expect(local == offered && a.credentials.local == local && a.credentials.remote == remote)
        #expect(table.peer(fragment: local.ufrag) === a)
        let next = table.restartICE(of: a, to: remote, &numbers, now: .zero)
        #expect(next != local)
    }

    @Test("A sweep visits each due peer once, also if peers end meanwhile, and the next is at least 10 ms later")
    func sweep() throws {
        var table = PeerTable(total: total, worker: 0)
        let peers = try (0..<6).map { try peer("\($0)") }
        for (i, peer) in peers.enumerated() {
            table.insert(peer, fragment: "f\(i)", now: .zero)
            peer.mediaDue = i == 3 ? .milliseconds(503) : .milliseconds(500)
            table.schedule(peer, now: .zero)
        }
        #expect(table.nextSweep == .milliseconds(500))
        let now = MediaTime.milliseconds(501)
        var visited: [String] = []
        var sweep = table.beginSweep()
        while let peer = table.next(in: &sweep, now: now) {
            visited.append(peer.id.rawValue)
            peer.mediaDue = .never
            if ["5", "2"].contains(peer.id.rawValue) { _ = table.remove(peer) }
        }
        #expect(visited == ["5", "4", "2", "1", "0"])
        // Peer 3 is due in 2 ms.
        #expect(table.nextSweep == now + PeerTable.sweepInterval && table.all.count == 4)
        #expect(table.all.enumerated().allSatisfy { $0.offset == $0.element.index })
    }

    @Test("The oldest peer that has not connected is taken first, and the total counts those of the worker")
    func unestablished() throws {
        var table = PeerTable(total: total, worker: 1)
        let peers = try (0..<4).map { try peer("\($0)") }
        for (i, peer) in peers.enumerated() { table.insert(peer, fragment: "f\(i)", now: .zero) }
        #expect(total.sum == 4 && total.largest(preferring: 0) == 1)
        #expect(table.unestablishedCount(in: "a") == 4 && table.unestablishedCount(in: "b") == 0)
        table.connect(peers[0])
        #expect(table.publisherCount == 1)
        _ = table.remove(peers[1])
        #expect(total.sum == 2 && table.unestablishedCount(in: "a") == 2)
        let oldest = table.takeOldestUnestablished()
        #expect(oldest === peers[2])
        _ = table.remove(peers[2])
        // The end of a connected peer does not change the total.
        _ = table.remove(peers[0])
        #expect(total.sum == 1 && table.publisherCount == 0)
        let next = table.takeOldestUnestablished()
        let none = table.takeOldestUnestablished()
        #expect(next === peers[3] && none == nil)
    }
}
