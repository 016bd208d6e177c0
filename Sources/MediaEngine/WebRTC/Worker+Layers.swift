import Forwarding
import MediaBase

/// Selection of encodings and temporal layers for subscribers.
extension Worker {
    func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice, _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        let peer = try peers.find(id, session)
        try peer.choose(choice, of: sessions[session]?.stream(named: peer.stream))
        allocate(peer, quiesced)
    }

    /// Selects the encodings and layers of a subscriber whose tracks or preferences have changed.
    func allocate(_ peer: WebRTCPeer, _ quiesced: borrowing Quiesced) {
        guard let outbound = peer.outbound else { return }
        allocate(outbound, now: time(), quiesced)
        peers.schedule(peer, now: time())
    }

    /// Makes a new allocation due for a subscriber with a peer.
    func allocateSoon(_ transport: SubscribeTransport, now: MediaTime) {
        guard let peer = peers[transport.id] else { return }
        transport.allocateSoon()
        peers.schedule(peer, now: now)
    }

    private func allocate(_ outbound: SubscribeTransport, now: MediaTime, _ quiesced: borrowing Quiesced) {
        allocator.allocate(outbound, now: now, quiesced)
        carryOut(outbound.session)
    }

    /// Runs the timers of one subscriber. Packets may be pending.
    func adapt(_ outbound: SubscribeTransport, now: MediaTime) {
        allocator.handleTimeout(outbound, now: now)
        if outbound.hasVideo, now >= outbound.nextAllocation { allocate(outbound, now: now, flush()) }
    }

    func sendProbes(_ now: MediaTime) {
        allocator.sendProbes(now: now) { outbound, bytes, probe in
            egress.sendPadding(bytes, to: outbound, of: probe)
        }
        allocateSlowed()
    }
}
