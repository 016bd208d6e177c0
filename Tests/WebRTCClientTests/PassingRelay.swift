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
    var publisher: RelayLeg?
    var viewers: [RelayLeg] = []
    /// Called with the publisher's media packets in the clear.
    var onMedia: (([UInt8]) -> Void)?
    /// Called with the publisher's RTCP in the clear.
    var onReport: (([UInt8]) -> Void)?
    private var owners: [SocketAddress: RelayLeg] = [:]
    private var random: SeededGenerator
    private var id: VirtualNetwork.ID = 0

    init(_ network: VirtualNetwork, seed: UInt64) {
        self.network = network
        random = SeededGenerator(seed: seed)
        id = network.add(
            VirtualEndpoint(
                receive: { [unowned self] datagram, from, _, now in receive(datagram, from, now) },
                deadline: { [unowned self] in legs.map(\.transport.deadline).min() ?? .never },
                handleTimeout: { [unowned self] now in
                    for leg in legs {
                        leg.transport.handleTimeout(now: now)
                        flush(leg)
                    }
                }), at: [Self.address])
    }

    private var legs: [RelayLeg] { viewers + (publisher.map { [$0] } ?? []) }

    /// Admits the client at `address`. - Returns: the answer.
    func admit(_ offer: SessionDescription, sources: [TrackDescription] = [], at address: SocketAddress) throws
        -> String
    {
        let leg = try RelayLeg(
            offer: offer.text, relay: Self.address, credentials: .random(using: &random), identity: Self.identity,
            sent: sources, now: network.now)
        if sources.isEmpty { publisher = leg } else { viewers.append(leg) }
        owners[address] = leg
        network.wake(id)
        return leg.answer
    }

    /// Sends the relay's own packet to a client.
    func send(_ bytes: [UInt8], isRTCP: Bool, to leg: RelayLeg) {
        guard let address = leg.address, let datagram = leg.protect(bytes, isRTCP: isRTCP) else { return }
        network.send(datagram, from: Self.address, to: address.address)
    }

    private func receive(_ datagram: UnsafeRawBufferPointer, _ from: SocketAddress, _ now: MediaTime) {
        guard let leg = owners[from] else { return }
        let arrival = leg.receive(datagram, from: PeerAddress(from), now: now)
        flush(leg)
        switch arrival {
        case .rtp(let packet) where leg === publisher:
            onMedia?(packet)
            for viewer in viewers { send(packet, isRTCP: false, to: viewer) }
        case .rtcp(let packet):
            if leg !== publisher {
                if let publisher { send(packet, isRTCP: true, to: publisher) }
            } else {
                onReport?(packet)
                for viewer in viewers { send(packet, isRTCP: true, to: viewer) }
            }
        case .rtp, nil: break
        }
    }

    private func flush(_ leg: RelayLeg) {
        do {
            for (bytes, to) in try leg.drain() { network.send(bytes, from: Self.address, to: to.address) }
        } catch {
            Issue.record("\(error)")
        }
    }
}
