import DTLS
import Forwarding
import MediaBase
import RTP
import SDP
import SRTP
import Transport

/// Control calls that open, change and close peers.
extension Worker {
    // MARK: calls

    func openWebRTC(_ request: WebRTCRequest, _ quiesced: borrowing Quiesced) throws(EngineError) -> WebRTCAnswer {
        guard !request.tracks.isEmpty else {
            throw .invalidRequest(
                field: "sdp", reason: "no media section has Opus or a forwarded video codec in this direction")
        }
        switch request.direction {
        case .publish:
            let session = try sessions.admitting(request.session, makes: true, peers, &counters)
            let name = request.stream ?? "stream-\(numbers.hex(8))"
            try session.admit([name], &counters)
            let sections = request.tracks.map { PublishedSection(stream: name, track: $0) }
            try sections.check(configuration.videoCodecs)
            return try publish(sections, as: request.peer, stream: name, in: session, quiesced)
        case .subscribe:
            return try view(request, quiesced)
        }
    }

    /// Opens a subscriber of one stream, which sends the offer itself.
    private func view(_ request: WebRTCRequest, _ quiesced: borrowing Quiesced) throws(EngineError) -> WebRTCAnswer {
        let session = try sessions.admitting(request.session, makes: false, peers, &counters)
        let stream = try session.stream(for: request)
        let peer = try makePeer(
            .subscribe, request.peer, credentials: numbers.credentials(besides: peers), in: request.session,
            stream: stream.name, quiesced
        )
        peer.expect(request.tracks, of: stream, numbers.ssrcs())
        var answer = parameters.answer(of: peer, to: request.peer)
        answer.codec = stream.codec
        answer.sources = peer.waiting.map(WebRTCAnswer.Source.init)
        return answer
    }

    /// Creates a peer that may connect from now on.
    /// - Parameter keys: keys from signalling; nil: the peer uses DTLS.
    func makePeer(
        _ direction: WebRTCRequest.Direction, _ description: PeerDescription, credentials: ICECredentials,
        keys: DTLSKeys? = nil, id: TransportID? = nil, in session: String, stream: String = "",
        _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> WebRTCPeer {
        guard !description.isLite else {
            throw .invalidRequest(field: "sdp", reason: "both sides are ICE-lite: neither would send checks")
        }
        makeRoomForUnestablished(quiesced)
        let peer = try WebRTCPeer(
            id: id ?? numbers.transport(), direction: direction, session: session, stream: stream,
            credentials: credentials, peer: description, signalled: keys.map { ($0, numbers.number()) },
            identity: parameters.identity, configuration.webRTC, now: time())
        peers.insert(peer, fragment: credentials.ufrag, now: time())
        return peer
    }

    func closeWebRTC(_ id: TransportID, session: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        if awaited[id, session] != nil { return forget(awaited: id) }
        let peer = try peers.find(id, session)
        peer.transport.close(now: time())
        act(on: peer, now: time())
        end(peer, quiesced)
    }

    /// Restarts ICE with new credentials. The path remains in use until the first check with them (RFC 8445 section 9).
    func restartICE(_ id: TransportID, session: String, peer credentials: ICECredentials) throws(EngineError)
        -> ICECredentials
    {
        let peer = try peers.find(id, session)
        let local = peer.prepared ?? numbers.credentials(besides: peers)
        peer.prepared = nil
        peer.transport.restart(local: local, remote: credentials, now: time())
        peers.schedule(peer, now: time())
        peer.credentials = (local, credentials)
        peers.add(fragment: local.ufrag, of: peer)
        return local
    }

    func webRTC(_ id: TransportID, session: String) throws(EngineError) -> WebRTCSnapshot {
        let peer = try peers.find(id, session)
        return WebRTCSnapshot(
            stream: peer.stream, direction: peer.direction, credentials: peer.credentials.local,
            peer: peer.credentials.remote, candidates: parameters.candidates)
    }

    func statistics(of id: TransportID, session: String, _ quiesced: borrowing Quiesced) throws(EngineError)
        -> PeerStatistics
    {
        if awaited[id, session] != nil { return PeerStatistics() }
        let peer = try peers.find(id, session)
        peer.outbound?.session.follow(quiesced)
        return PeerStatistics(of: peer)
    }

    /// Returns the quality of a peer over the last minutes.
    func quality(of id: TransportID, session: String) throws(EngineError) -> PeerQuality {
        if awaited[id, session] != nil { return PeerQuality(now: time()) }
        let peer = try peers.find(id, session)
        return PeerQuality(timeline: peer.inbound?.quality ?? peer.outbound?.quality, now: time())
    }

    func trace(of id: TransportID, session: String, _ quiesced: borrowing Quiesced) throws(EngineError) -> PeerTrace {
        if awaited[id, session] != nil { return PeerTrace(now: time()) }
        let peer = try peers.find(id, session)
        peer.outbound?.session.follow(quiesced)
        return PeerTrace(of: peer, inbound, now: time())
    }

    // MARK: the list of peers

    /// Ends a peer that has not connected if the limit of all workers together is reached. The oldest peer of the worker with the most is
    /// chosen: otherwise a flood of offers in one session would displace clients of other sessions. Another worker ends its peer within
    /// milliseconds; until then the limit may be exceeded.
    private func makeRoomForUnestablished(_ quiesced: borrowing Quiesced) {
        let limit = configuration.webRTC.unestablishedTransports
        guard totals.unestablished.sum >= limit else { return }
        let largest = totals.unestablished.largest(preferring: index)
        let isAsked =
            largest != index
            && totals.post(
                { if $0.totals.unestablished.sum >= limit { $0.endOldestUnestablished($0.flush()) } }, to: largest)
        if !isAsked { endOldestUnestablished(quiesced) }
    }

    /// Ends the peer that has had the longest time to connect.
    private func endOldestUnestablished(_ quiesced: borrowing Quiesced) {
        guard let oldest = peers.takeOldestUnestablished() else { return }
        counters.peersDisplaced &+= 1
        events.send(.peerGone(session: oldest.session, transport: oldest.id))
        end(oldest, quiesced)
    }

    // MARK: connected

    /// Starts media once the keys are known and a pair is nominated, in either order.
    func connectIfReady(_ peer: WebRTCPeer, now: MediaTime, _ quiesced: borrowing Quiesced) {
        guard let address = peer.address, let keys = peer.keys, !peer.isConnected else { return }
        peers.connect(peer)
        peer.keys = nil
        counters.peersConnected &+= 1
        let egressContext = egress.protector.makeContext(key: keys.local, peerKey: keys.remote)
        peer.egressContext = egressContext
        let session = sessions.listed(peer.session)
        housekeepingSchedule.visitSoon(session, now: now)
        switch peer.direction {
        case .publish:
            session.connect(
                publisher: peer, keys.remote, egressContext, configuration.webRTC, at: realTime(), now: now, &inbound,
                &numbers,
                besides: plain, quiesced)
        case .subscribe:
            session.connect(
                subscriber: peer, egressContext, at: address, configuration.webRTC, egress, now: now, &numbers, quiesced
            )
        }
        carryOut(session)
    }

    // MARK: end

    /// Removes a peer, its streams and its subscriptions.
    func end(_ peer: WebRTCPeer, _ quiesced: borrowing Quiesced) {
        guard let addresses = peers.remove(peer) else { return }
        for address in addresses where address.isTCP { sockets?.tcp?.close(address.connection) }
        if let session = sessions[peer.session] {
            session.disconnect(peer, &inbound, quiesced)
            carryOut(session)
            forgetIfEmpty(session)
        }
        releaseIfUnused(peer.session)
        peer.outbound?.deallocate()
        peer.inbound = nil
        peer.outbound = nil
        if let egressContext = peer.egressContext { egress.protector.freeContext(egressContext) }
        peer.egressContext = nil
    }
}
