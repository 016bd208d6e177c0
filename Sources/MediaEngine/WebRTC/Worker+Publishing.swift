import MediaBase
import SDP
import Transport

/// Publish peers: one connection each, with all streams that it has offered.
extension Worker {
    /// Creates a publish peer, and reserves its streams until it connects.
    /// - Parameter stream: name of the stream of a peer for one stream; otherwise empty.
    func openPublisher(_ request: PublisherRequest, stream: String = "", _ quiesced: borrowing Quiesced)
        throws(EngineError) -> WebRTCAnswer
    {
        let sections = request.sections
        try sections.check(configuration.videoCodecs)
        let session = try sessions.admitting(request.session, makes: true, peers, &counters)
        try session.admit(sections.streams, &counters)
        let agreed = try SignalledKeys.agree(to: request.peer)
        let peer = try makePeer(
            .publish, request.peer, credentials: numbers.credentials(besides: peers), keys: agreed?.keys,
            in: session.name, stream: stream, quiesced)
        peer.answer(with: agreed?.answer)
        publish(sections, by: peer, in: session, quiesced)
        sessions.list(session)
        return parameters.answer(of: peer, to: request.peer)
    }

    /// Handles another offer of a publish peer: streams begin, end and change. New credentials restart ICE.
    func updatePublisher(
        _ id: TransportID, session name: String, peer description: PeerDescription, sections: [PublishedSection],
        _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> WebRTCAnswer {
        let peer = try peers.find(id, name, .publish)
        try peer.check(offer: description)
        try sections.check(configuration.videoCodecs)
        // A peer without streams that has not connected yet does not keep its session.
        let session = try sessions.findOrMake(name, &counters)
        let before = Set(peer.published.map(\.stream))
        try session.admit(sections.streams.filter { !before.contains($0) }, &counters)
        publish(sections, by: peer, in: session, quiesced)
        sessions.list(session)
        if description.credentials != peer.credentials.remote {
            _ = peers.restartICE(of: peer, to: description.credentials, &numbers, now: time())
        }
        return parameters.answer(of: peer, to: description)
    }

    /// Ends one stream and keeps its publisher's connection. Packets of the stream that still arrive are dropped.
    func closeStream(session name: String, stream: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        let session = try sessions.find(name)
        let found = try session.reserved[stream] == nil ? session.publishedStream(named: stream) : nil
        // The publisher of a plain stream is no peer.
        let peer =
            if let found { peers[found.source.transport] } else {
                peers.unconnectedPublisher(of: stream, session: name)
            }
        if let peer {
            publish(peer.published.filter { $0.stream != stream }, by: peer, in: session, quiesced)
        } else if let found, let transport = session.publisher(of: found) {
            session.close(transport, &inbound, quiesced)
        }
    }

    private func publish(
        _ sections: [PublishedSection], by peer: WebRTCPeer, in session: EngineSession, _ quiesced: borrowing Quiesced
    ) {
        session.publish(
            sections, by: peer, at: realTime(), now: time(), &inbound, &numbers, besides: plain, quiesced)
    }
}
