import DTLS
import MediaBase
import SDP
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
            let name = request.stream ?? "stream-\(numbers.hex(8))"
            let sections = request.tracks.map {
                PublishedSection(stream: name, track: $0, startsMuted: request.startsMuted.contains($0.kind))
            }
            return try openPublisher(
                PublisherRequest(session: request.session, peer: request.peer, sections: sections), stream: name,
                quiesced)
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
            stream: stream.name, quiesced)
        peer.expect(request.tracks, of: stream, numbers.ssrcs())
        return parameters.answer(of: peer, to: request.peer, codec: stream.codec)
    }

    /// Creates a peer that may connect from now on.
    /// - Parameter keys: keys from signalling; nil: the peer uses DTLS.
    func makePeer(
        _ direction: WebRTCRequest.Direction, _ description: PeerDescription, credentials: ICECredentials,
        keys: DTLSKeys? = nil, id: TransportID? = nil, in session: String, stream: String = "",
        _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> WebRTCPeer {
        let peer = try WebRTCPeer(
            id: id ?? numbers.transport(), direction: direction, session: session, stream: stream,
            credentials: credentials, peer: description, signalled: keys.map { ($0, numbers.number()) },
            identity: parameters.identity, configuration.webRTC, now: time())
        makeRoomForUnestablished(quiesced)
        peers.insert(peer, fragment: credentials.ufrag, now: time())
        return peer
    }

    /// Returns a peer; nil for a subscriber that has not answered the relay's offer yet.
    private func find(_ id: TransportID, _ session: String) throws(EngineError) -> WebRTCPeer? {
        awaited[id, session] == nil ? try peers.find(id, session) : nil
    }

    func closeWebRTC(_ id: TransportID, session: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        guard let peer = try find(id, session) else { return awaited.remove(id) }
        peer.transport.close(now: time())
        act(on: peer, now: time())
        end(peer, quiesced)
    }

    /// Completes an ICE restart that the peer or the relay has offered.
    /// - Parameter credentials: new credentials of the peer.
    func restartICE(_ id: TransportID, session: String, peer credentials: ICECredentials) throws(EngineError)
        -> ICECredentials
    {
        try peers.restartICE(of: peers.find(id, session), to: credentials, &numbers, now: time())
    }

    func webRTC(_ id: TransportID, session: String) throws(EngineError) -> WebRTCSnapshot {
        WebRTCSnapshot(of: try peers.find(id, session), candidates: parameters.candidates)
    }

    func statistics(of id: TransportID, session: String, _ quiesced: borrowing Quiesced) throws(EngineError)
        -> PeerStatistics
    {
        guard let peer = try find(id, session) else { return PeerStatistics() }
        return PeerStatistics(of: peer, quiesced)
    }

    /// Returns the quality of a peer over the last minutes.
    func quality(of id: TransportID, session: String) throws(EngineError) -> PeerQuality {
        let peer = try find(id, session)
        return PeerQuality(timeline: peer?.inbound?.quality ?? peer?.outbound?.quality, now: time())
    }

    func trace(of id: TransportID, session: String, _ quiesced: borrowing Quiesced) throws(EngineError) -> PeerTrace {
        guard let peer = try find(id, session) else { return PeerTrace(now: time()) }
        return PeerTrace(of: peer, inbound, now: time(), quiesced)
    }

    // MARK: the list of peers

    /// Ends a peer that has not connected if the limit of all workers together is reached. The oldest peer of the worker with the most is
    /// chosen: otherwise a flood of offers in one session would displace clients of other sessions. Another worker ends its peer within
    /// milliseconds; until then the limit may be exceeded.
    private func makeRoomForUnestablished(_ quiesced: borrowing Quiesced) {
        let limit = configuration.webRTC.unestablishedTransports
        guard let fullest = peers.fullestWorker(limit: limit) else { return }
        let isAsked =
            fullest != index
            && totals.post(
                { if $0.peers.fullestWorker(limit: limit) != nil { $0.endOldestUnestablished($0.flush()) } },
                to: fullest)
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
        guard let key = peer.takeKeys(egress.protector) else { return }
        peers.connect(peer)
        counters.peersConnected &+= 1
        let session = sessions.listed(peer.session)
        housekeepingSchedule.visitSoon(session, now: now)
        session.connect(
            peer, key, configuration.webRTC, egress, at: realTime(), now: now, &inbound, &numbers, besides: plain,
            quiesced)
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
        peer.end(egress.protector)
    }
}
