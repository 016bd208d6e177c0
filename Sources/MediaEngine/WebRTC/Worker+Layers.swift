import Forwarding
import MediaBase

/// Selection of encodings and temporal layers for subscribers.
extension Worker {
    func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice, _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        let peer = try find(id, session)
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

    /// Makes a new allocation due for the subscribers of a session, because encodings or their rates have changed.
    func allocateSoon(in session: EngineSession, now: MediaTime) {
        for transport in session.subscribers.members {
            guard !transport.isPlain, transport.isLevel else { continue }
            allocateSoon(transport, now: now)
        }
    }

    /// Makes a new allocation due for a subscriber with a peer.
    func allocateSoon(_ transport: SubscribeTransport, now: MediaTime) {
        guard let peer = peers[transport.id] else { return }
        transport.allocateSoon()
        peers.schedule(peer, now: now)
    }
}
