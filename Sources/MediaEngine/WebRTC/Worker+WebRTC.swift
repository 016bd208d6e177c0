import MediaBase
import RTP
import Transport

/// Datagrams on the port that all WebRTC peers share (RFC 7983). A peer is found by its user name fragment in STUN, or by an address from
/// which a check arrived. Other datagrams are counted and dropped, except for media of a publisher that has moved.
extension Worker {
    func receiveWebRTC(_ bytes: UnsafeMutableRawPointer, length: Int, from: PeerAddress, now: MediaTime) {
        let view = UnsafeRawBufferPointer(start: bytes, count: length)
        switch DatagramKind(view) {
        case .rtp:
            guard let peer = peers.peer(at: from) else { return receiveFromElsewhere(view, from: from, now: now) }
            receiveRTP(bytes, length: length, of: peer, from: from, now: now)
        case .rtcp:
            guard let peer = peers.peer(at: from), peer.egressContext != nil else {
                counters.droppedUnknownPeer &+= 1
                return
            }
            let received = peer.receiveRTCP(
                bytes, length: length, from: from, now: now, egress.protector, &counters)
            if let received { handle(received, now: now) }
        case .stun:
            receiveSTUN(view, from: from, now: now)
        case .dtls:
            guard let peer = peers.peer(at: from) else {
                counters.droppedUnknownPeer &+= 1
                return
            }
            if peer.transport.isValidated(from) { peer.assume(from) }
            peer.transport.receiveDTLS(view, from: from, now: now)
            act(on: peer, now: now)
        case .zrtp, .turnChannel, .unknown:
            counters.droppedUnknownKind &+= 1
        }
    }

    private func receiveSTUN(_ datagram: UnsafeRawBufferPointer, from: PeerAddress, now: MediaTime) {
        let name = WebRTCTransport.username(of: datagram)
        // STUN without a user name is found by its address: a response to a check of a native peer's path, or an indication.
        let found = if let name { peers.peer(fragment: name.local) } else { peers.peer(at: from) }
        guard let peer = found, name != nil || !peer.isConnected || WebRTCTransport.isIndication(datagram) else {
            counters.droppedUnknownPeer &+= 1
            return
        }
        peer.transport.receiveSTUN(datagram, from: from, now: now)
        if name != nil, peer.transport.isValidated(from) { note(from, of: peer, now: now) }
        act(on: peer, now: now)
    }

    /// Runs the outputs of a peer's transport.
    func act(on peer: WebRTCPeer, now: MediaTime) {
        defer { peers.schedule(peer, now: now) }
        while let output = peer.transport.nextOutput() {
            switch output {
            case .transmit(let bytes, let to):
                bytes.withUnsafeBytes { egress.transmit($0, to: to, .webRTC) }
            case .selected(let address):
                select(address, of: peer, now: now, flush())
            case .connected(let keys):
                peer.hold(keys)
                connectIfReady(peer, now: now, flush())
            case .noPath(let failure): report(failure, of: peer)
            case .ended(let reason):
                counters.count(reason)
                if peer.index >= 0 { events.send(.peerGone(session: peer.session, transport: peer.id)) }
                return end(peer, flush())
            }
        }
    }

    /// Runs the timers of peers that are due: DTLS retransmissions, consent, feedback, layers.
    func lookAfterPeers(_ now: MediaTime) {
        var sweep = peers.beginSweep()
        while let peer = peers.next(in: &sweep, now: now) { lookAfter(peer, now) }
    }

    private func lookAfter(_ peer: WebRTCPeer, _ now: MediaTime) {
        if peer.transport.deadline <= now {
            peer.transport.handleTimeout(now: now)
            act(on: peer, now: now)
        }
        while let feedback = peer.inbound?.takeFeedback(now: now) { egress.sendRTCP(feedback, to: peer) }
        if peer.lacksMedia(timeout: configuration.webRTC.pathTimeout, now: now) { report(.noMedia, of: peer) }
        if let outbound = peer.outbound { adapt(outbound, now: now) }
    }

    private func report(_ failure: MediaPathFailure, of peer: WebRTCPeer) {
        counters.count(failure)
        events.send(.noMediaPath(session: peer.session, transport: peer.id, failure))
    }
}
