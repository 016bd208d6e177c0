import Forwarding
import MediaBase
import RTP
import SRTP
import Transport

/// Peers whose address changes in the middle of a call, as when a NAT forgets or a phone changes networks.
extension Worker {
    /// Publishers that a packet from an unknown address is tried with.
    private static let maximumCandidates = 4
    /// Keys that packets from unknown addresses are tried with, a second; more is left to the next connectivity check. A packet that is of no
    /// SSRC of a publisher's costs none of them.
    private static let strangersPerSecond = 50
    /// Peers that are asked for the SSRC of such packets, a second: some milliseconds' work.
    private static let strangerLookupsPerSecond = 200_000

    /// Takes a media packet from an address that nobody is known by. A publisher that has moved notices so with its next consent check
    /// only, up to six seconds later (RFC 7675 section 5.1): till then what it sends is lost with other relays. Here a packet that is
    /// authentic under a publisher's key, and new, is that publisher's wherever it comes from. Nothing is sent to the new address before
    /// a check has come from there: a copy of a packet with a forged source brings nobody any traffic.
    /// - Returns: false where it is nobody's.
    func receiveFromElsewhere(_ datagram: UnsafeRawBufferPointer, from: PeerAddress, now: MediaTime) -> Bool {
        guard !from.isTCP, datagram.count >= RTPHeader.fixedLength, mayLookUpStranger(now) else { return false }
        let ssrc = SSRC(UInt32(bigEndian: datagram.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        var tried = 0
        for peer in peerList {
            guard let inbound = peer.inbound, inbound.binding(of: ssrc) != nil else { continue }
            guard tried < Self.maximumCandidates, strangersLeft > 0 else { return false }
            tried += 1
            strangersLeft -= 1
            let isTaken = withUnsafeTemporaryAllocation(byteCount: datagram.count, alignment: 8) { copy in
                // An AEAD that fails leaves its input in no usable state.
                copy.copyMemory(from: datagram)
                guard let bytes = copy.baseAddress else { return false }
                var plain = datagram.count
                do throws(SRTPFailure) {
                    try inbound.transport.context.unprotect(bytes, length: &plain)
                } catch {
                    return false
                }
                note(from, of: peer)
                strangersLeft += 1
                receive(
                    authentic: UnsafeRawBufferPointer(start: bytes, count: plain), length: datagram.count, inbound,
                    now: now)
                return true
            }
            if isTaken { return true }
        }
        return false
    }

    private func mayLookUpStranger(_ now: MediaTime) -> Bool {
        if now - strangersSince >= .seconds(1) {
            strangersSince = now
            strangersLeft = Self.strangersPerSecond
            strangerLookupsLeft = Self.strangerLookupsPerSecond
        }
        guard strangersLeft > 0, strangerLookupsLeft > 0 else { return false }
        strangerLookupsLeft -= peerList.count
        return true
    }

    /// The TCP connection that an address stands for has closed: media go to where else the peer can be reached, or, where there is nowhere
    /// yet, to where its next check comes from.
    func disconnected(_ address: PeerAddress, now: MediaTime) {
        guard let peer = peersByAddress.removeValue(forKey: address) else { return }
        peer.addresses.removeAll { $0 == address }
        peer.transport.disconnected(address, now: now)
        act(on: peer, now: now)
    }

    /// - Parameter before: nil where this is its first.
    func moved(_ peer: WebRTCPeer, from before: PeerAddress?, to address: PeerAddress, now: MediaTime) {
        if before != nil { peer.inbound?.transport.decisions.note(.moved, now: now) }
        guard let outbound = peer.outbound else { return }
        outbound.move(to: address, now: now)
        outbound.session.router.path(outbound.path).pointee.socket = socket(for: address, .webRTC)
        guard before != nil else { return }
        outbound.transport.decisions.note(.moved, now: now)
        refresh(outbound, now: now)
    }

    /// A viewer has moved. What went to its old address is lost, maybe seconds of it: a key frame helps it sooner than all that again, which
    /// would fill a path of which nothing is known yet.
    private func refresh(_ outbound: PeerOutbound, now: MediaTime) {
        for track in outbound.transport.tracks where track.kind == .video {
            guard let producer = track.producer,
                let latest = outbound.session.router.latestSequence(path: track.path, producer: producer)
            else { continue }
            track.abandoned = (latest, now)
            if !track.isUnwanted, !track.isPausedByBandwidth {
                let feeder = outbound.session.router.feeder(path: track.path, ssrc: track.ssrc, expected: producer)
                requestKeyFrame(of: feeder ?? producer)
            }
        }
    }
}
