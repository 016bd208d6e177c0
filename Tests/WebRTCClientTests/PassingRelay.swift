import DTLS
import MediaBase
import MillraceTestKit
import SDP
import Testing
import Transport
import WebRTCClient

/// A relay that only decrypts and encrypts: media goes from the publisher to all subscribers, their RTCP to the publisher. Both sides use
/// the publisher's numbers, so the endpoints handle loss directly with each other.
final class PassingRelay {
    static let identity = try! DTLSIdentity.generate()
    static let clientIdentity = try! DTLSIdentity.generate()
    static let address = SocketAddress("10.0.0.1", port: 4000)!

    let network: VirtualNetwork
    /// Current address.
    private(set) var home = PassingRelay.address
    var publisher: RelayConnection?
    var subscribers: [RelayConnection] = []
    /// Called with the publisher's media packets in the clear.
    var onMedia: (([UInt8]) -> Void)?
    /// Called with the publisher's RTCP in the clear.
    var onReport: (([UInt8]) -> Void)?
    private var owners: [SocketAddress: RelayConnection] = [:]
    private var random: SeededGenerator
    private var id: VirtualNetwork.ID = 0

    init(_ network: VirtualNetwork, seed: UInt64) {
        self.network = network
        random = SeededGenerator(seed: seed)
        id = network.add(
            VirtualEndpoint(
                receive: { [unowned self] datagram, from, _, now in receive(datagram, from, now) },
                deadline: { [unowned self] in connections.map(\.transport.deadline).min() ?? .never },
                handleTimeout: { [unowned self] now in
                    for connection in connections {
                        connection.transport.handleTimeout(now: now)
                        flush(connection)
                    }
                }), at: [Self.address])
    }

    private var connections: [RelayConnection] { subscribers + (publisher.map { [$0] } ?? []) }

    /// Admits the client at `address`. - Returns: the answer.
    func admit(_ offer: SessionDescription, sources: [TrackDescription] = [], at address: SocketAddress) throws
        -> String
    {
        let connection = try RelayConnection(
            offer: offer.text, relay: home, credentials: .random(using: &random), identity: Self.identity,
            sent: sources, now: network.now)
        if sources.isEmpty { publisher = connection } else { subscribers.append(connection) }
        owners[address] = connection
        network.wake(id)
        return connection.answer
    }

    /// Answers the publisher's ICE restart, for candidates of the relay's current address.
    func restartPublisher(_ offered: TrickleFragment) throws -> TrickleFragment {
        let publisher = try #require(publisher)
        let local = ICECredentials.random(using: &random)
        publisher.transport.restart(local: local, remote: try #require(offered.credentials), now: network.now)
        network.wake(id)
        let candidate = ICECandidate(
            foundation: "1", transport: .udp, priority: 2_130_706_431, host: home.host, port: home.port)
        return TrickleFragment(
            credentials: local, isLite: true,
            sections: offered.sections.map {
                .init(mid: $0.mid, kind: $0.kind, candidates: [candidate], endOfCandidates: true)
            })
    }

    /// Moves to another address. Datagrams to the previous one get lost.
    func move(to address: SocketAddress) {
        network.unbind(home)
        network.bind(address, to: id)
        home = address
    }

    /// Sends the relay's own packet to a client.
    func send(_ bytes: [UInt8], isRTCP: Bool, to connection: RelayConnection) {
        guard let address = connection.address, let datagram = connection.protect(bytes, isRTCP: isRTCP) else { return }
        network.send(datagram, from: home, to: address.address)
    }

    private func receive(_ datagram: UnsafeRawBufferPointer, _ from: SocketAddress, _ now: MediaTime) {
        guard let connection = owners[from] else { return }
        let arrival = connection.receive(datagram, from: PeerAddress(from), now: now)
        flush(connection)
        switch arrival {
        case .rtp(let packet) where connection === publisher:
            onMedia?(packet)
            for subscriber in subscribers { send(packet, isRTCP: false, to: subscriber) }
        case .rtcp(let packet):
            if connection !== publisher {
                if let publisher { send(packet, isRTCP: true, to: publisher) }
            } else {
                onReport?(packet)
                for subscriber in subscribers { send(packet, isRTCP: true, to: subscriber) }
            }
        case .rtp, nil: break
        }
    }

    private func flush(_ connection: RelayConnection) {
        do {
            for (bytes, to) in try connection.drain() { network.send(bytes, from: home, to: to.address) }
        } catch {
            Issue.record("\(error)")
        }
    }
}
