import DTLS
import Forwarding
import MediaBase
import RTP
import SDP
import SRTP
import Transport

/// Subscribe peers: the relay offers one connection to a participant and adds and removes its tracks.
extension Worker {
    /// Maximum number of preferences of a subscriber: as many as it may have subscriptions, and as many for subscriptions about to begin.
    private static let maximumPreferences = 400

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
        sessions.forgetIfEmpty(session)
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
        try check(tracks, for: peer)
        guard let outbound = peer.outbound else {
            peer.waiting += tracks
            return
        }
        for track in tracks { begin(track, of: peer, outbound, isNumbered: true, now: time(), quiesced) }
        carryOut(outbound.session)
        peers.schedule(peer, now: time())
    }

    private func check(_ tracks: [SubscriberTrack], for peer: WebRTCPeer) throws(EngineError) {
        var mids = Set(peer.waiting.map(\.track.mid))
        var names = Set(peer.waiting.map { TrackName(stream: $0.stream, kind: $0.track.kind) })
        var ssrcs = Set(peer.waiting.flatMap { [$0.ssrc, $0.rtxSSRC].compactMap(\.self) })
        for track in peer.outbound?.tracks ?? [] {
            if let mid = track.mid { mids.insert(mid) }
            names.insert(TrackName(stream: track.streamName, kind: track.kind))
            ssrcs.insert(track.ssrc)
            if let rtx = track.rtxSSRC { ssrcs.insert(rtx) }
        }
        let limit = configuration.limits.tracksPerSubscriber
        guard mids.count + tracks.count <= limit else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "tracksPerSubscriber", limit: limit)
        }
        for track in tracks {
            guard mids.insert(track.track.mid).inserted else {
                throw .invalidRequest(field: "mid", reason: "media section \"\(track.track.mid)\" is in use")
            }
            // A path carries each track of a stream only once.
            guard names.insert(TrackName(stream: track.stream, kind: track.track.kind)).inserted else {
                throw .invalidRequest(field: "stream", reason: "\"\(track.stream)\" is already sent on this connection")
            }
            // Two streams under one SSRC and key would share a keystream.
            for ssrc in [track.ssrc, track.rtxSSRC].compactMap(\.self) where !ssrcs.insert(ssrc).inserted {
                throw .ssrcInUse(ssrc.rawValue)
            }
        }
    }

    private struct TrackName: Hashable {
        let stream: String
        let kind: MediaKind
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
            try checkPreferences(stream, awaited[id]?.preferences ?? [:])
            awaited[id]?.preferences[stream] = preferences
            return
        }
        let peer = try find(id, session)
        guard peer.direction == .subscribe else { throw .unknownTransport(id.rawValue) }
        if peer.preferences.count >= Self.maximumPreferences { forgetPreferences(of: peer) }
        try checkPreferences(stream, peer.preferences)
        peer.preferences[stream] = preferences
        guard let outbound = peer.outbound else { return }
        guard outbound.session.setPreferences(preferences, ofStream: stream, for: outbound, quiesced) else { return }
        allocate(outbound, now: time(), quiesced)
        peers.schedule(peer, now: time())
    }

    /// Removes preferences of streams that are not subscribed to any more, or not yet.
    private func forgetPreferences(of peer: WebRTCPeer) {
        let streams = Set(peer.waiting.map(\.stream) + (peer.outbound?.tracks.map(\.streamName) ?? []))
        peer.preferences = peer.preferences.filter { streams.contains($0.key) }
    }

    private func checkPreferences(_ stream: String, _ known: [String: StreamPreferences]) throws(EngineError) {
        guard known[stream] == nil, known.count >= Self.maximumPreferences else { return }
        counters.refusedLimit &+= 1
        throw .limitReached(name: "preferences", limit: Self.maximumPreferences)
    }
}
