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
        defer { awaited.remove(id) }
        let keys = try offered.agreedKeys(description)
        let peer = try makePeer(
            .subscribe, description, credentials: offered.credentials, keys: keys, id: id, in: session, quiesced)
        peer.take(offered)
    }

    /// Returns the credentials that the relay offers for an ICE restart. Before the first offer is answered, these are the credentials of that
    /// offer, because there is nothing to restart.
    func prepareRestart(_ id: TransportID, session: String) throws(EngineError) -> ICECredentials {
        if let offered = awaited[id, session] { return offered.credentials }
        return try peers.prepareRestart(of: peers.find(id, session), &numbers)
    }

    // MARK: tracks

    func addTracks(_ id: TransportID, session: String, _ tracks: [SubscriberTrack], _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        let peer = try peers.find(id, session, .subscribe)
        try peer.addTracks(
            tracks, limit: configuration.limits.tracksPerSubscriber, &numbers, now: time(), &counters, quiesced)
        peers.schedule(peer, now: time())
    }

    /// Removes tracks. Unknown sections are ignored.
    func removeTracks(_ id: TransportID, session: String, mids: [MID], _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        if awaited[id, session] != nil { return }
        let peer = try peers.find(id, session)
        peer.removeTracks(Set(mids), quiesced)
        allocate(peer, quiesced)
    }

    // MARK: preferences

    func setPreferences(
        _ id: TransportID, session: String, stream: String, _ preferences: StreamPreferences,
        _ quiesced: borrowing Quiesced
    ) throws(EngineError) {
        try preferences.check()
        if try awaited.setPreferences(preferences, ofStream: stream, for: id, session: session, &counters) { return }
        let peer = try peers.find(id, session, .subscribe)
        if try peer.setPreferences(preferences, ofStream: stream, &counters, quiesced) { allocate(peer, quiesced) }
    }
}
