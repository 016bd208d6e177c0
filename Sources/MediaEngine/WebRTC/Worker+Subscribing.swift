import MediaBase
import SDP
import Transport

/// Subscribe peers: the relay offers one connection to a participant and adds and removes its tracks.
extension Worker {
    // MARK: the connection

    /// - Parameter isNative: offers and answers carry keys instead of a DTLS handshake.
    func openSubscriber(session name: String, isNative: Bool = false) throws(EngineError) -> SubscriberOffer {
        let session = try sessions.admitting(name, makes: true, peers, &counters)
        sessions.list(session)
        let id = numbers.transport()
        let offered = AwaitedSubscriber(
            session: session, credentials: numbers.credentials(besides: peers),
            keys: isNative ? SignalledKeys() : nil)
        awaited.insert(offered, id)
        return parameters.offer(offered, id, configuration.videoCodecs)
    }

    /// Takes the participant's answer: it may connect from now on. An unusable answer ends the offered
    /// connection with its keys, and the participant must start over.
    func connectSubscriber(
        _ id: TransportID, session: String, peer description: PeerDescription, _ quiesced: borrowing Quiesced
    ) throws(EngineError) {
        guard let offered = awaited[id, session] else { throw .unknownTransport(id.rawValue) }
        defer { forget(awaited: id) }
        let keys = try offered.agreedKeys(description)
        let peer = try makePeer(
            .subscribe, description, credentials: offered.credentials, keys: keys, id: id, in: session, quiesced)
        peer.preferences = offered.preferences
        peer.subsession = offered.subsession
    }

    /// Forgets an offer that was answered or withdrawn.
    func forget(awaited id: TransportID) {
        // An answered connection belongs to the session once it has connected.
        if let session = awaited.remove(id) { forgetIfEmpty(session) }
    }

    /// Returns the credentials that the relay offers for an ICE restart, the same until the restart happens. Before the first offer is
    /// answered, these are the credentials of that offer, because there is nothing to restart.
    func prepareRestart(_ id: TransportID, session: String) throws(EngineError) -> ICECredentials {
        if let offered = awaited[id, session] { return offered.credentials }
        let peer = try peers.find(id, session)
        let made = peer.prepared ?? numbers.credentials(besides: peers)
        peer.prepared = made
        return made
    }

    // MARK: tracks

    func addTracks(_ id: TransportID, session: String, _ tracks: [SubscriberTrack], _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        let peer = try peers.find(id, session)
        guard peer.direction == .subscribe else { throw .unknownTransport(id.rawValue) }
        try peer.check(tracks, limit: configuration.limits.tracksPerSubscriber, &counters)
        guard let outbound = peer.outbound else {
            peer.waiting += tracks
            return
        }
        outbound.session.addTracks(tracks, of: peer, to: outbound, &numbers, now: time(), quiesced)
        peers.schedule(peer, now: time())
    }

    /// Removes tracks. Unknown sections are ignored.
    func removeTracks(_ id: TransportID, session: String, mids: [MID], _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        if awaited[id, session] != nil { return }
        let peer = try peers.find(id, session)
        let gone = Set(mids)
        peer.waiting.removeAll { gone.contains($0.track.mid) }
        guard let outbound = peer.outbound else { return }
        for stream in outbound.session.removeTracks(gone, of: outbound, quiesced) { peer.preferences[stream] = nil }
        allocate(outbound, now: time(), quiesced)
        peers.schedule(peer, now: time())
    }

    // MARK: preferences

    func setPreferences(
        _ id: TransportID, session: String, stream: String, _ preferences: StreamPreferences,
        _ quiesced: borrowing Quiesced
    ) throws(EngineError) {
        try preferences.check()
        if try awaited.setPreferences(preferences, ofStream: stream, for: id, session: session, &counters) { return }
        let peer = try peers.find(id, session)
        guard peer.direction == .subscribe else { throw .unknownTransport(id.rawValue) }
        try peer.preferences.set(preferences, ofStream: stream, used: peer.subscribedStreams, &counters)
        guard let outbound = peer.outbound else { return }
        guard outbound.session.setPreferences(preferences, ofStream: stream, for: outbound, quiesced) else { return }
        allocate(outbound, now: time(), quiesced)
        peers.schedule(peer, now: time())
    }
}
