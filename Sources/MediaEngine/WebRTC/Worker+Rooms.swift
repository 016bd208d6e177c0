import Forwarding
import MediaBase

/// Subsessions of a session. Media passes only between participants of the same subsession, whatever tracks exist.
extension Worker {
    /// Moves peers to subsessions, all in one step: from now on no media passes between peers of different subsessions. A peer that
    /// enters a subsession starts from each stream's cached key frame. The peers that it joins start from the next key frame of its
    /// streams, because earlier frames were for other participants. Unknown peers are ignored.
    func place(_ placements: [RoomPlacement], session name: String, _ quiesced: borrowing Quiesced) {
        var placed: [WebRTCPeer] = []
        for placement in placements {
            if awaited[placement.peer]?.session == name {
                awaited[placement.peer]?.room = placement.room
            } else if let peer = peers[placement.peer], peer.session == name, peer.room != placement.room {
                peer.room = placement.room
                placed.append(peer)
            }
        }
        guard !placed.isEmpty, let session = sessions[name] else { return }
        var streams: [EngineStream] = []
        for peer in placed {
            guard let transport = peer.inbound else { continue }
            for stream in session.streams(of: transport) {
                move(stream, to: peer.room, in: session, quiesced)
                streams.append(stream)
            }
        }
        // Runs after all streams have moved, so that participants who move together are not separated in between.
        var touched: [ObjectIdentifier: WebRTCPeer] = [:]
        for stream in streams {
            for transport in viewers(of: stream, in: session) {
                refresh(transport, only: stream, in: session, &touched, quiesced)
            }
        }
        for transport in placed.compactMap(\.outbound) {
            refresh(transport, only: nil, in: session, &touched, quiesced)
        }
        let now = time()
        for peer in touched.values.sorted(by: { $0.index < $1.index }) {
            peer.outbound?.allocateSoon()
            peers.schedule(peer, now: now)
        }
        if session.router.hasNewCatchUps { egress.noteCatchingUp(session) }
    }

    private func move(
        _ stream: EngineStream, to name: String, in session: EngineSession, _ quiesced: borrowing Quiesced
    ) {
        // A stream that moves loses its place among the loudest and its role as active speaker.
        for producer in stream.producers { fallSilent(producer.tag) }
        session.move(stream, to: session.room(named: name))
        for producer in stream.producers {
            inbound[producer.tag].pointee.room = .passUnretained(stream.room)
            producer.startAnew()
        }
    }

    /// Returns the subscribers of a stream, each once.
    private func viewers(of stream: EngineStream, in session: EngineSession) -> [SubscribeTransport] {
        var seen: Set<ObjectIdentifier> = []
        var viewers: [SubscribeTransport] = []
        for producer in stream.producers {
            for i in 0..<producer.core.pointee.consumerCount {
                guard let transport = session.subscribersByPath[producer.core.pointee.consumers[i].path],
                    seen.insert(ObjectIdentifier(transport)).inserted
                else { continue }
                viewers.append(transport)
            }
        }
        return viewers
    }

    /// Separates a subscriber from streams of other subsessions, and resumes its tracks of streams in its own subsession.
    private func refresh(
        _ transport: SubscribeTransport, only: EngineStream?, in session: EngineSession,
        _ touched: inout [ObjectIdentifier: WebRTCPeer], _ quiesced: borrowing Quiesced
    ) {
        for track in transport.tracks {
            guard only == nil || track.streamName == only?.name,
                let stream = only ?? session.stream(named: track.streamName),
                track.isParted != (stream.room.name != transport.room)
            else { continue }
            setParted(!track.isParted, track, of: transport, in: session, quiesced)
            if let peer = peers[transport.id] { touched[ObjectIdentifier(peer)] = peer }
        }
    }

    private func setParted(
        _ isParted: Bool, _ track: SubscribedTrack, of transport: SubscribeTransport, in session: EngineSession,
        _ quiesced: borrowing Quiesced
    ) {
        let wasUnwanted = track.isUnwanted
        track.isParted = isParted
        guard track.isUnwanted != wasUnwanted, let producer = track.producer, !track.isPausedByBandwidth,
            !transport.paused.contains(track.kind)
        else { return }
        if isParted {
            _ = track.setPaused(true, of: producer, in: session.router, quiesced)
        } else if session.router.resume(path: track.path, producer: producer) {
            requestKeyFrame(of: producer)
        }
    }
}
