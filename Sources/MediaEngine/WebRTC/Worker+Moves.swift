import Forwarding
import MediaBase
import RTP
import SRTP
import Transport

/// Address changes of peers during a call, such as a new NAT binding or a phone that changes networks.
extension Worker {
    /// Receives a media packet from an unknown address. A publisher whose address has changed notices it only with its next consent
    /// check, up to 6 s later (RFC 7675 section 5.1), and its packets would be lost until then. Here a packet that a publisher's key
    /// authenticates, and that is no replay, is accepted as that publisher's. Nothing is sent to the new address before a connectivity
    /// check arrives from it, so that an attacker who copies a packet to a forged source address cannot direct traffic there.
    /// - Returns: false if the packet belongs to no publisher.
    func receiveFromElsewhere(_ datagram: UnsafeRawBufferPointer, from: PeerAddress, now: MediaTime) -> Bool {
        guard !from.isTCP, datagram.count >= RTPHeader.fixedLength else { return false }
        let ssrc = SSRC(UInt32(bigEndian: datagram.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        for peer in peers.publishers(of: ssrc, now: now) {
            guard let inbound = peer.inbound, peers.takeAttempt() else { return false }
            let isTaken = withUnsafeTemporaryAllocation(byteCount: datagram.count, alignment: 8) { copy in
                // Failed AEAD decryption leaves its input unusable.
                copy.copyMemory(from: datagram)
                guard let bytes = copy.baseAddress else { return false }
                var plain = datagram.count
                do throws(SRTPFailure) {
                    try inbound.context.unprotect(bytes, length: &plain)
                } catch {
                    return false
                }
                note(from, of: peer, now: now)
                peers.returnAttempt()
                receive(
                    authentic: UnsafeRawBufferPointer(start: bytes, count: plain), length: datagram.count, inbound,
                    now: now)
                return true
            }
            if isTaken { return true }
        }
        return false
    }

    /// Handles the close of a TCP connection that a peer used. Media moves to another address of the peer or, if
    /// there is none, waits for its next connectivity check.
    func disconnected(_ address: PeerAddress, now: MediaTime) {
        guard let peer = peers.forget(address) else { return }
        peer.transport.disconnected(address, now: now)
        act(on: peer, now: now)
    }

    /// Handles the selection of a peer's address.
    /// - Parameter before: nil for the peer's first address.
    func moved(
        _ peer: WebRTCPeer, from before: PeerAddress?, to address: PeerAddress, now: MediaTime,
        _ quiesced: borrowing Quiesced
    ) {
        if before != nil { peer.inbound?.decisions.note(.moved, now: now) }
        guard let outbound = peer.outbound else { return }
        outbound.move(to: address, now: now)
        outbound.session.router.path(outbound.path).pointee.socket = egress.socket(for: address, .webRTC)
        guard before != nil else { return }
        outbound.decisions.note(.moved, now: now)
        outbound.session.refresh(outbound, now: now, quiesced)
        carryOut(outbound.session)
    }
}
