import MediaBase
import SDP
import Transport

/// Publish peers: one connection each, with all streams that it has offered.
extension Worker {
    func openPublisher(_ request: PublisherRequest, _ quiesced: borrowing Quiesced) throws(EngineError) -> WebRTCAnswer
    {
        try request.sections.check(configuration.videoCodecs)
        let session = try sessions.admitting(request.session, makes: true, peers, &counters)
        try session.admit(request.sections.streams, &counters)
        return try publish(request.sections, as: request.peer, in: session, quiesced)
    }

    /// Creates a publish peer. The caller has admitted its streams.
    func publish(
        _ sections: [PublishedSection], as description: PeerDescription, stream: String = "",
        in session: EngineSession, _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> WebRTCAnswer {
        let agreed = try SignalledKeys.agree(to: description)
        let peer = try makePeer(
            .publish, description, credentials: numbers.credentials(besides: peers), keys: agreed?.keys,
            in: session.name, stream: stream,
            quiesced)
        peer.crypto = agreed?.answer
        peer.published = sections
        for name in sections.streams { session.reserved[name] = sections.mutedKinds(of: name) }
        sessions.list(session)
        return parameters.answer(of: peer, to: description)
    }

    /// Handles another offer of a publish peer: streams begin, end and change. New credentials restart ICE.
    func updatePublisher(
        _ id: TransportID, session name: String, peer description: PeerDescription, sections: [PublishedSection],
        _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> WebRTCAnswer {
        let peer = try peers.find(id, name)
        guard peer.direction == .publish else { throw .unknownTransport(id.rawValue) }
        guard description.isSameTransport(as: peer.description) else {
            throw .invalidRequest(field: "sdp", reason: "the certificate or the keys have changed")
        }
        try sections.check(configuration.videoCodecs)
        // A peer without streams that has not connected yet does not keep its session.
        let session = try sessions.findOrMake(name, &counters)
        let before = Set(peer.published.map(\.stream))
        let streams = sections.streams
        try session.admit(streams.filter { !before.contains($0) }, &counters)
        if let inbound = peer.inbound {
            replace(sections, of: inbound, now: time(), quiesced)
        } else {
            session.reserve(sections, instead: peer.published)
            sessions.list(session)
        }
        peer.published = sections
        if description.credentials != peer.credentials.remote {
            _ = try restartICE(id, session: name, peer: description.credentials)
        }
        return parameters.answer(of: peer, to: description)
    }

    /// Ends one stream and keeps its publisher's connection. Packets of the stream that still arrive are dropped.
    func closeStream(session name: String, stream: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        let session = try sessions.find(name)
        if session.reserved.removeValue(forKey: stream) != nil {
            for peer in peers.all where peer.session == name && peer.inbound == nil {
                peer.published.removeAll { $0.stream == stream }
            }
            return
        }
        guard let found = session.stream(named: stream) else { throw .unknownStream(stream) }
        guard !found.source.isPipe else { throw .publishedElsewhere }
        if let peer = peers[found.source.transport], let inbound = peer.inbound {
            peer.published.removeAll { $0.stream == stream }
            replace(peer.published, of: inbound, now: time(), quiesced)
        } else if let transport = session.publisher(of: found) {
            session.close(transport, &inbound, quiesced)
        }
    }

    /// Replaces the sections of a connected publisher, and its streams and tracks accordingly.
    private func replace(
        _ sections: [PublishedSection], of inbound: PublishTransport, now: MediaTime, _ quiesced: borrowing Quiesced
    ) {
        inbound.session.replace(
            sections, of: inbound, at: realTime(), now: now, &self.inbound, &numbers, besides: plain, quiesced)
    }
}
