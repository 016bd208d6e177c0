import Forwarding
import MediaBase
import RTP
import SDP
import SRTP
import Transport

/// Datagrams on the port that all WebRTC peers share (RFC 7983). Only a known user name fragment, or an address that a check came
/// from, leads to a peer; anything else is counted and forgotten.
extension Worker {
    func receiveWebRTC(_ bytes: UnsafeMutableRawPointer, length: Int, from: PeerAddress, now: MediaTime) {
        let view = UnsafeRawBufferPointer(start: bytes, count: length)
        let kind = DatagramKind(view)
        if kind != .rtcp { gotOtherThanRTCP = true }
        switch kind {
        case .rtp:
            guard let peer = peersByAddress[from] else {
                if !receiveFromElsewhere(view, from: from, now: now) { counters.droppedUnknownPeer &+= 1 }
                return
            }
            // An address that is somebody's is not taken over by what another sends, or repeats, from there.
            guard let inbound = peer.inbound else {
                counters.droppedUnknownPeer &+= 1
                return
            }
            receiveRTP(bytes, length: length, inbound, of: peer, from: from, now: now)
        case .rtcp:
            guard let peer = peersByAddress[from], peer.leg != nil else {
                counters.droppedUnknownPeer &+= 1
                return
            }
            receiveRTCP(bytes, length: length, peer, from: from, now: now)
        case .stun:
            receiveSTUN(view, from: from, now: now)
        case .dtls:
            guard let peer = peersByAddress[from] else {
                counters.droppedUnknownPeer &+= 1
                return
            }
            // Some clients shake hands and send media on the first pair that works, and nominate it later.
            if peer.address == nil, peer.transport.isValidated(from) { peer.address = from }
            peer.transport.receiveDTLS(view, from: from, now: now)
            act(on: peer, now: now)
        case .zrtp, .turnChannel, .unknown:
            counters.droppedUnknownKind &+= 1
        }
    }

    private func receiveSTUN(_ datagram: UnsafeRawBufferPointer, from: PeerAddress, now: MediaTime) {
        let name = WebRTCTransport.username(of: datagram)
        // Neither the answer to the check of a native peer's path nor an indication leads to a peer by its name.
        let found = if let name { peersByFragment[name.local] } else { peersByAddress[from] }
        guard let peer = found, name != nil || !peer.isConnected || WebRTCTransport.isIndication(datagram) else {
            counters.droppedUnknownPeer &+= 1
            return
        }
        peer.transport.receiveSTUN(datagram, from: from, now: now)
        if name != nil, peer.transport.isValidated(from) { note(from, of: peer) }
        act(on: peer, now: now)
    }

    /// Remembers that an address is a peer's. The oldest give way, but for the one in use.
    func note(_ address: PeerAddress, of peer: WebRTCPeer) {
        guard peersByAddress[address] !== peer else { return }
        if address.isTCP { sockets?.tcp?.admit(address.connection) }
        if let other = peersByAddress[address] { other.addresses.removeAll { $0 == address } }
        peersByAddress[address] = peer
        peer.addresses.append(address)
        if peer.addresses.count > WebRTCPeer.maximumAddresses,
            let oldest = peer.addresses.firstIndex(where: { $0 != peer.address })
        {
            peersByAddress[peer.addresses.remove(at: oldest)] = nil
        }
    }

    /// Does what a peer's transport wants done.
    func act(on peer: WebRTCPeer, now: MediaTime) {
        defer { schedule(peer, now: now) }
        while let output = peer.transport.nextOutput() {
            switch output {
            case .transmit(let bytes, let to):
                bytes.withUnsafeBytes { transmit($0, to: to, .webRTC) }
            case .selected(let address):
                forwardAll()
                note(address, of: peer)
                #if DEBUG
                    if isDeaf(toMovesOf: peer) { continue }
                #endif
                let before = peer.address
                peer.address = address
                if before != address { moved(peer, from: before, to: address, now: now) }
                connectIfReady(peer, now: now)
            case .connected(let keys):
                forwardAll()
                peer.keys = keys
                connectIfReady(peer, now: now)
            case .noPath(let failure): report(failure, of: peer)
            case .ended(let reason):
                counters.count(reason)
                forwardAll()
                if peer.place >= 0 { events.send(.peerGone(session: peer.session, transport: peer.id)) }
                end(peer)
                return
            }
        }
    }

    /// Timers of peers: retransmissions of handshakes, consent, feedback, layers.
    func lookAfterPeers(_ now: MediaTime) {
        var next = MediaTime.never
        // From the end: a peer that ends gives its place to the last.
        var place = peerList.count - 1
        while place >= 0 {
            if peerDues[place] <= now {
                let peer = peerList[place]
                lookAfter(peer, now)
                if peer.place >= 0 { peerDues[peer.place] = due(of: peer, now: now) }
            }
            if place < peerDues.count { next = min(next, peerDues[place]) }
            place -= 1
        }
        nextPeerSweep = max(next, now + Self.peerSweepInterval)
    }

    private func lookAfter(_ peer: WebRTCPeer, _ now: MediaTime) {
        if peer.transport.deadline <= now {
            peer.transport.handleTimeout(now: now)
            act(on: peer, now: now)
        }
        if let inbound = peer.inbound, let due = inbound.feedback.deadline, due <= now {
            sendFeedback(inbound, of: peer, now: now)
        }
        if peer.mediaDue <= now { lookForMedia(of: peer, now: now) }
        if let outbound = peer.outbound { adapt(outbound, now: now) }
    }

    private func report(_ failure: MediaPathFailure, of peer: WebRTCPeer) {
        counters.count(failure)
        events.send(.noMediaPath(session: peer.session, transport: peer.id, failure))
    }

    /// Reports a publisher of which no packet has come, once. One that is muted, or publishes nothing, may have nothing to send.
    private func lookForMedia(of peer: WebRTCPeer, now: MediaTime) {
        peer.mediaDue = .never
        guard let inbound = peer.inbound, !inbound.hasMedia else { return }
        if inbound.sections.contains(where: { !$0.stream.muted.contains($0.track.kind) }) {
            report(.noMedia, of: peer)
        } else {
            peer.mediaDue = now + configuration.webRTC.pathTimeout
        }
    }

    private func due(of peer: WebRTCPeer, now: MediaTime) -> MediaTime {
        var due = min(peer.transport.deadline, peer.mediaDue)
        // Packets that come say nothing to this loop: it looks again, at once with none to tell of.
        if let inbound = peer.inbound {
            due = min(due, inbound.feedback.deadline ?? now, now + FeedbackMaker.shortestInterval)
        }
        if let outbound = peer.outbound { due = min(due, outbound.deadline) }
        return due
    }

    /// Something of a peer's may be due earlier than was thought.
    func schedule(_ peer: WebRTCPeer, now: MediaTime) {
        guard peer.place >= 0 else { return }
        let due = due(of: peer, now: now)
        peerDues[peer.place] = due
        nextPeerSweep = min(nextPeerSweep, max(due, now + Self.peerSweepInterval))
    }

    static let peerSweepInterval = MediaTime.milliseconds(10)

    private func sendFeedback(_ inbound: PeerInbound, of peer: WebRTCPeer, now: MediaTime) {
        while let feedback = inbound.feedback.take(now: now) {
            var bytes: [UInt8] = []
            feedback.write(into: &bytes)
            send(bytes, to: peer)
        }
    }
}
