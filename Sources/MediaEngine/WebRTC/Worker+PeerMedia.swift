import Forwarding
import MediaBase
import RTP
import SRTP
import Transport

/// RTP of connected WebRTC peers.
extension Worker {
    /// Receives RTP from a peer's address. Packets from the address of a known peer are not tried as another peer's, so that injected or
    /// replayed packets cannot take the address over.
    func receiveRTP(
        _ bytes: UnsafeMutableRawPointer, length: Int, of peer: WebRTCPeer, from: PeerAddress, now: MediaTime
    ) {
        guard let inbound = peer.inbound else {
            counters.droppedUnknownPeer &+= 1
            return
        }
        var plain = length
        do throws(SRTPFailure) {
            try inbound.context.unprotect(bytes, length: &plain)
        } catch {
            counters.count(error)
            return
        }
        peer.transport.received(from: from, now: now)
        receive(
            authentic: UnsafeRawBufferPointer(start: bytes, count: plain), length: length, inbound, of: peer, now: now)
    }

    /// Handles an authentic RTP packet.
    /// - Parameters:
    ///   - packet: decrypted packet.
    ///   - length: length before decryption.
    private func receive(
        authentic packet: UnsafeRawBufferPointer, length: Int, _ inbound: PublishTransport, of peer: WebRTCPeer,
        now: MediaTime
    ) {
        let received = inbound.receive(
            packet, length: length, now: now, &self.inbound, &numbers, besides: plain, egress, counterMemory)
        if received.isFeedbackSooner { peers.schedule(peer, now: now) }
        carryOut(inbound.session)
        guard let packet = received.packet else { return }
        forward(
            packet.header, packet.payload, packet.extensions, descriptor: packet.descriptor,
            of: self.inbound[packet.track], now: now)
    }

    /// Receives a media packet from an unknown address. A publisher whose address has changed notices it only with its next consent
    /// check, up to 6 s later (RFC 7675 section 5.1), and its packets would be lost until then. Here a packet that a publisher's key
    /// authenticates, and that is no replay, is accepted as that publisher's. Nothing is sent to the new address before a connectivity
    /// check arrives from it, so that an attacker who copies a packet to a forged source address cannot direct traffic there.
    func receiveFromElsewhere(_ datagram: UnsafeRawBufferPointer, from: PeerAddress, now: MediaTime) {
        if !from.isTCP {
            for peer in search.candidates(for: datagram, among: peers, now: now) {
                guard let inbound = peer.inbound else { continue }
                let isAuthentic = search.unprotect(datagram, as: inbound) { packet in
                    note(from, of: peer, now: now)
                    receive(authentic: packet, length: datagram.count, inbound, of: peer, now: now)
                }
                guard let isAuthentic else { break }
                if isAuthentic { return }
            }
        }
        counters.droppedUnknownPeer &+= 1
    }
}
