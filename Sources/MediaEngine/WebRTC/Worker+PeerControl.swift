internal import DTLS
internal import Forwarding
internal import MediaBase
internal import RTP
internal import SDP
internal import SRTP
internal import Transport

/// Peers come, connect, change and go. With nothing pending in any router.
extension Worker {
    // MARK: calls

    func openWebRTC(_ request: WebRTCRequest) throws(EngineError) -> WebRTCAnswer {
        guard !request.tracks.isEmpty else {
            throw .invalidRequest(field: "sdp", reason: "no media section has Opus or VP8 in this direction")
        }
        guard !request.peer.isLite else {
            throw .invalidRequest(field: "sdp", reason: "both sides are ICE-lite: neither would begin")
        }
        let session: EngineSession
        let name: String
        switch request.direction {
        case .publish:
            if let existing = sessions[request.session] {
                session = existing
            } else {
                session = try newSession(request.session)
            }
            try admitTransport(to: session)
            name = try admitStream(request.stream, to: session)
        case .subscribe:
            guard let existing = sessions[request.session] else { throw .unknownSession(request.session) }
            session = existing
            try admitTransport(to: session)
            guard let found = request.stream.map({ session.stream(named: $0) }) ?? session.streams.last else {
                throw .unknownStream(request.stream ?? "")
            }
            name = found.name
        }
        if unestablishedCount >= perWorker(configuration.webRTC.unestablishedTransports) { endOldestUnestablished() }

        let now = time()
        let credentials = freeCredentials()
        let role: DTLSConnection.Role = request.peer.setup == .passive ? .client : .server
        var path = WebRTCTransport.Configuration(
            credentials: credentials, peer: request.peer, identity: identity, role: role)
        path.connectTimeout = configuration.webRTC.connectTimeout
        path.consentTimeout = configuration.webRTC.consentTimeout
        let transport: WebRTCTransport
        do {
            transport = try WebRTCTransport(path, now: now)
        } catch {
            throw .invalidRequest(field: "sdp", reason: "\(error)")
        }
        let peer = WebRTCPeer(
            id: TransportID(rawValue: hex(16)), request: request, stream: name, credentials: credentials,
            transport: transport)
        list(peer, fragment: credentials.ufrag)
        if request.direction == .publish {
            session.reservedNames.insert(name)
            sessions[request.session] = session
        } else {
            peer.sources = request.tracks.map { section in
                let ssrc = freeSSRC()
                return WebRTCAnswer.Source(
                    mid: section.mid, kind: section.kind, ssrc: ssrc,
                    rtxSSRC: section.rtxPayloadType.map { _ in freeSSRC() })
            }
        }
        return WebRTCAnswer(
            id: peer.id, session: request.session, stream: name, direction: request.direction,
            credentials: credentials, fingerprint: identity.fingerprint, setup: role == .server ? .passive : .active,
            candidates: candidates, sources: peer.sources)
    }

    func closeWebRTC(_ id: TransportID, session: String) throws(EngineError) {
        let peer = try find(id, session)
        peer.transport.close(now: time())
        act(on: peer, now: time())
        end(peer)
    }

    /// New credentials for a path that stays as it is until the first check with them (RFC 8445 section 9).
    func restartICE(_ id: TransportID, session: String, peer credentials: ICECredentials) throws(EngineError)
        -> ICECredentials
    {
        let peer = try find(id, session)
        let local = freeCredentials()
        peer.transport.restart(local: local, remote: credentials, now: time())
        schedule(peer, now: time())
        peer.credentials = (local, credentials)
        peer.fragments.append(local.ufrag)
        peersByFragment[local.ufrag] = peer
        // The first fragment goes when a third comes: by then its restart is over.
        if peer.fragments.count > 2 { peersByFragment[peer.fragments.removeFirst()] = nil }
        return local
    }

    func webRTC(_ id: TransportID, session: String) throws(EngineError) -> WebRTCSnapshot {
        let peer = try find(id, session)
        return WebRTCSnapshot(
            stream: peer.stream, direction: peer.direction, credentials: peer.credentials.local,
            peer: peer.credentials.remote, candidates: candidates)
    }

    func find(_ id: TransportID, _ session: String) throws(EngineError) -> WebRTCPeer {
        guard let peer = peers[id], peer.session == session else { throw .unknownTransport(id.rawValue) }
        return peer
    }

    // MARK: the list

    private func list(_ peer: WebRTCPeer, fragment: String) {
        peer.fragments = [fragment]
        peersByFragment[fragment] = peer
        peers[peer.id] = peer
        peer.place = peerList.count
        peerList.append(peer)
        peerDues.append(.never)
        if unestablished.count > 2 * unestablishedCount + 64 {
            unestablished.removeAll { $0.place < 0 || $0.isConnected }
        }
        unestablished.append(peer)
        unestablishedCount += 1
        schedule(peer, now: time())
    }

    private func freeCredentials() -> ICECredentials {
        while true {
            let made = ICECredentials.random(using: &random)
            if peersByFragment[made.ufrag] == nil { return made }
        }
    }

    /// Whoever has had the longest time to connect makes room.
    private func endOldestUnestablished() {
        while !unestablished.isEmpty {
            let oldest = unestablished.removeFirst()
            guard oldest.place >= 0, !oldest.isConnected else { continue }
            counters.peersDisplaced &+= 1
            end(oldest)
            return
        }
    }

    // MARK: connected

    /// Once the handshake is done and a pair is nominated, in whichever order, media may flow.
    func connectIfReady(_ peer: WebRTCPeer, now: MediaTime) {
        guard let address = peer.address, let keys = peer.keys, !peer.isConnected else { return }
        peer.isConnected = true
        peer.keys = nil
        counters.peersConnected &+= 1
        unestablishedCount -= 1
        let leg = protector.makeLeg(key: keys.local, peerKey: keys.remote)
        peer.leg = leg
        let session =
            sessions[peer.session] ?? EngineSession(name: peer.session, loudest: configuration.webRTC.loudestAudio)
        sessions[peer.session] = session
        switch peer.direction {
        case .publish: beginPublishing(peer, keys, leg, in: session, now: now)
        case .subscribe: beginSubscribing(peer, leg, at: address, in: session, now: now)
        }
    }

    /// What a publisher that takes REMB alone may send at first.
    private static let uplinkStart = Bitrate.kilobits(1_500)

    private func beginPublishing(
        _ peer: WebRTCPeer, _ keys: DTLSKeys, _ leg: UnsafeMutablePointer<EgressLeg>, in session: EngineSession,
        now: MediaTime
    ) {
        let transport = PublishTransport(
            id: peer.id, streamName: peer.stream, rtcpMux: true,
            context: IngressContext(key: keys.remote, maximumStreams: configuration.limits.ssrcsPerTransport),
            leg: leg, peer: peer, localSSRC: freeSSRC(), now: now)
        let stream = EngineStream(name: peer.stream, transport: transport, createdAt: realTime())
        session.reservedNames.remove(peer.stream)
        session.publishers.insert(transport, peer.id)
        session.streams.append(stream)
        peer.inbound = PeerInbound(
            transport: transport, stream: stream, session: session, sections: peer.sections,
            maximumBindings: configuration.limits.ssrcsPerTransport,
            allowed: UplinkAllowance(
                start: Self.uplinkStart, minimum: configuration.webRTC.minimumBitrate,
                maximum: configuration.webRTC.maximumBitrate))
        attachWaiting(to: stream, in: session, now: now)
        events.send(.published(session: session.name, stream: stream.name))
    }

    private func beginSubscribing(
        _ peer: WebRTCPeer, _ leg: UnsafeMutablePointer<EgressLeg>, at address: PeerAddress,
        in session: EngineSession, now: MediaTime
    ) {
        let path = session.router.open(
            EgressPath(address: address.address, leg: leg, tagLength: leg.pointee.suite.tagLength, lane: .webRTC))
        let targets = peer.sections.map {
            SubscriptionTarget(
                kind: $0.kind, path: path, address: address.address, rtcpAddress: address.address,
                payloadType: $0.payloadType, ssrc: nil)
        }
        let transport = SubscribeTransport(
            id: peer.id, rtcpMux: true, leg: leg, peer: peer, targets: targets, wantsAllStreams: false)
        var estimate = BandwidthEstimator.Configuration()
        estimate.minimum = configuration.webRTC.minimumBitrate
        estimate.start = configuration.webRTC.startBitrate
        estimate.maximum = configuration.webRTC.maximumBitrate
        let outbound = PeerOutbound(
            transport: transport, session: session, path: path, sections: peer.sections, at: address,
            estimate: estimate, now: now)
        for (section, source) in zip(peer.sections, peer.sources) {
            let track = SubscribedTrack(
                streamName: peer.stream, kind: section.kind, path: path, ssrc: source.ssrc,
                payloadType: section.payloadType, progress: freshProgress())
            track.extensions = HeaderExtensionTemplate(map: section.extensions, kind: section.kind, mid: section.mid)
            if let payloadType = section.rtxPayloadType, let ssrc = source.rtxSSRC {
                track.rtx = RTXStream(ssrc: ssrc, payloadType: payloadType)
            }
            track.choice = peer.choice
            transport.tracks.append(track)
        }
        peer.outbound = outbound
        session.subscribersByPath[path] = transport
        session.subscribers.insert(transport, peer.id)
        if let stream = session.stream(named: peer.stream) {
            attach(transport, to: stream, in: session, now: now)
        }
    }

    // MARK: the end

    /// Forgets a peer and what it sent or got.
    func end(_ peer: WebRTCPeer) {
        guard peer.place >= 0 else { return }
        let last = peerList.removeLast()
        let due = peerDues.removeLast()
        if last !== peer {
            peerList[peer.place] = last
            peerDues[peer.place] = due
            last.place = peer.place
        }
        peer.place = -1
        peers[peer.id] = nil
        for fragment in peer.fragments { peersByFragment[fragment] = nil }
        for address in peer.addresses {
            peersByAddress[address] = nil
            if address.isTCP { sockets?.tcp?.close(address.connection) }
        }
        if !peer.isConnected { unestablishedCount -= 1 }
        if let session = sessions[peer.session] {
            if peer.direction == .publish, peer.inbound == nil { session.reservedNames.remove(peer.stream) }
            if let inbound = peer.inbound { close(inbound.transport, in: session) }
            if let outbound = peer.outbound { close(outbound.transport, in: session) }
            forgetIfEmpty(session)
        }
        peer.outbound?.deallocate()
        peer.inbound = nil
        peer.outbound = nil
        if let leg = peer.leg { protector.freeLeg(leg) }
        peer.leg = nil
    }
}
