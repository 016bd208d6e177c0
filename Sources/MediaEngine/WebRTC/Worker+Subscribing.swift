import DTLS
import Forwarding
import MediaBase
import RTP
import SDP
import SRTP
import Transport

/// Subscribe peers: the relay offers one connection to a participant and adds and removes its tracks.
extension Worker {
    // MARK: the connection

    /// - Parameter isNative: offers and answers carry keys instead of a DTLS handshake.
    func openSubscriber(session name: String, isNative: Bool = false) throws(EngineError) -> SubscriberOffer {
        let session = try session(toOpenIn: name)
        sessions.list(session)
        session.awaited += 1
        let id = numbers.transport()
        let credentials = numbers.credentials(besides: peers)
        let keys = isNative ? SignalledKeys() : nil
        awaited[id] = AwaitedSubscriber(session: name, credentials: credentials, keys: keys)
        return SubscriberOffer(
            id: id, session: name,
            relay: RelayDescription(
                credentials: credentials, fingerprint: identity.fingerprint, cryptos: keys?.offered ?? [],
                setup: .actpass, candidates: candidates), videoCodecs: configuration.videoCodecs)
    }

    /// Takes the participant's answer: it may connect from now on. An unusable answer ends the offered
    /// connection with its keys, and the participant must start over.
    func connectSubscriber(
        _ id: TransportID, session: String, peer description: PeerDescription, _ quiesced: borrowing Quiesced
    ) throws(EngineError) {
        guard let offered = awaited[id], offered.session == session else { throw .unknownTransport(id.rawValue) }
        defer { forget(awaited: id) }
        var keys: DTLSKeys?
        if let offer = offered.keys {
            keys = offer.agreed(by: description.cryptos)
            if keys == nil { throw .invalidRequest(field: "sdp", reason: "a=crypto accepts none of the offered keys") }
        }
        let peer = try makePeer(
            .subscribe, description, credentials: offered.credentials, keys: keys, id: id, in: session, quiesced)
        peer.preferences = offered.preferences
        peer.room = offered.room
    }

    /// Forgets an offer that was answered or withdrawn.
    func forget(awaited id: TransportID) {
        guard let offered = awaited.removeValue(forKey: id), let session = sessions[offered.session] else { return }
        session.awaited -= 1
        // An answered connection belongs to the session once it has connected.
        forgetIfEmpty(session)
    }

    /// Returns the credentials that the relay offers for an ICE restart, the same until the restart happens. Before the first offer is
    /// answered, these are the credentials of that offer, because there is nothing to restart.
    func prepareRestart(_ id: TransportID, session: String) throws(EngineError) -> ICECredentials {
        if let offered = awaited[id], offered.session == session { return offered.credentials }
        let peer = try find(id, session)
        let made = peer.prepared ?? numbers.credentials(besides: peers)
        peer.prepared = made
        return made
    }

    func beginSubscribing(
        _ peer: WebRTCPeer, _ leg: UnsafeMutablePointer<EgressLeg>, at address: PeerAddress,
        in session: EngineSession, now: MediaTime, _ quiesced: borrowing Quiesced
    ) {
        let path = session.router.open(
            EgressPath(address: address.address, leg: leg, tagLength: leg.pointee.suite.tagLength, lane: .webRTC))
        session.newPathUntil = now + GatherPolicy.newPathTime
        var estimate = BandwidthEstimator.Configuration()
        estimate.minimum = configuration.webRTC.minimumBitrate
        estimate.start = configuration.webRTC.startBitrate
        estimate.maximum = configuration.webRTC.maximumBitrate
        let outbound = SubscribeTransport(
            id: peer.id, session: session, room: peer.room, leg: leg, path: path, at: address, estimate: estimate,
            now: now)
        session.router.path(path).pointee.socket = egress.socket(for: address, .webRTC)
        peer.outbound = outbound
        session.open(outbound)
        let waiting = peer.waiting
        peer.waiting = []
        // A connection for one stream keeps its tracks. One with audio alone has no use for an estimate of its path, and its feedback would
        // cost more than the audio: without transport-wide numbers in its packets the subscriber sends only receiver reports.
        let isNumbered = peer.stream.isEmpty || waiting.contains { $0.track.kind == .video }
        for track in waiting { begin(track, of: peer, outbound, isNumbered: isNumbered, now: now, quiesced) }
        carryOut(session)
    }

    // MARK: tracks

    func addTracks(_ id: TransportID, session: String, _ tracks: [SubscriberTrack], _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        let peer = try find(id, session)
        guard peer.direction == .subscribe else { throw .unknownTransport(id.rawValue) }
        try peer.check(tracks, limit: configuration.limits.tracksPerSubscriber, &counters)
        guard let outbound = peer.outbound else {
            peer.waiting += tracks
            return
        }
        for track in tracks { begin(track, of: peer, outbound, isNumbered: true, now: time(), quiesced) }
        carryOut(outbound.session)
        peers.schedule(peer, now: time())
    }

    /// - Parameter isNumbered: packets get transport-wide sequence numbers if the subscriber supports them.
    private func begin(
        _ wanted: SubscriberTrack, of peer: WebRTCPeer, _ outbound: SubscribeTransport, isNumbered: Bool,
        now: MediaTime,
        _ quiesced: borrowing Quiesced
    ) {
        outbound.session.addTrack(
            wanted, to: outbound, choice: peer.choice, preferences: peer.preferences[wanted.stream],
            isNumbered: isNumbered, progress: numbers.progress(), now: now, quiesced)
    }

    /// Removes tracks. Unknown sections are ignored.
    func removeTracks(_ id: TransportID, session: String, mids: [MID], _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        if awaited[id]?.session == session { return }
        let peer = try find(id, session)
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
        if awaited[id]?.session == session {
            let known = Set((awaited[id]?.preferences ?? [:]).keys)
            try awaited[id]?.preferences.set(preferences, ofStream: stream, used: known, &counters)
            return
        }
        let peer = try find(id, session)
        guard peer.direction == .subscribe else { throw .unknownTransport(id.rawValue) }
        try peer.preferences.set(preferences, ofStream: stream, used: peer.subscribedStreams, &counters)
        guard let outbound = peer.outbound else { return }
        guard outbound.session.setPreferences(preferences, ofStream: stream, for: outbound, quiesced) else { return }
        allocate(outbound, now: time(), quiesced)
        peers.schedule(peer, now: time())
    }
}
