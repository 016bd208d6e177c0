import Forwarding
import MediaBase

/// Selection of encodings and temporal layers for subscribers.
extension Worker {
    func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice, _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        let peer = try peers.find(id, session)
        guard peer.direction == .subscribe, !peer.stream.isEmpty else {
            throw .invalidRequest(field: "layer", reason: "the transport does not subscribe to a single stream")
        }
        if case .encoding(let rid, _) = choice,
            let stream = sessions[session]?.stream(named: peer.stream),
            !stream.encodings.isEmpty, !stream.encodings.contains(where: { $0.rid == rid })
        {
            throw .invalidRequest(field: "encodingId", reason: "the stream has no encoding \"\(rid)\"")
        }
        peer.choice = choice
        guard let outbound = peer.outbound else { return }
        for track in outbound.tracks { track.choice = choice }
        allocate(outbound, now: time(), quiesced)
        peers.schedule(peer, now: time())
    }

    /// Makes a new allocation due for a subscriber with a peer.
    func allocateSoon(_ transport: SubscribeTransport, now: MediaTime) {
        guard let peer = peers[transport.id] else { return }
        transport.allocateSoon()
        peers.schedule(peer, now: now)
    }

    /// Selects the encodings and layers of a subscriber.
    func allocate(_ outbound: SubscribeTransport, now: MediaTime, _ quiesced: borrowing Quiesced) {
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
