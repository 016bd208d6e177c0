import Forwarding
import MediaBase

/// Rooms of a session: who is in different ones does not hear each other, whatever tracks there are.
extension Worker {
    /// Takes peers to rooms, all of them at once: nothing passes between two of different rooms from here on. Who comes to where somebody is
    /// filmed begins with the pictures since the last key frame; who is come to begins with the next key frame, as what was filmed before it was
    /// for others. Peers that are not there are passed over.
    func place(_ placements: [RoomPlacement], session name: String) {
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
            guard let transport = peer.inbound?.transport else { continue }
            for stream in session.streams where stream.transport === transport {
                move(stream, to: peer.room, in: session)
                streams.append(stream)
            }
        }
        // Only now: of those who go together nobody is parted for a moment.
        var touched: [ObjectIdentifier: WebRTCPeer] = [:]
        for stream in streams {
            for transport in viewers(of: stream, in: session) {
                refresh(transport, only: stream, in: session, &touched)
            }
        }
        for transport in placed.compactMap({ $0.outbound?.transport }) {
            refresh(transport, only: nil, in: session, &touched)
        }
        let now = time()
        for peer in touched.values.sorted(by: { $0.place < $1.place }) {
            peer.outbound?.allocateSoon()
            schedule(peer, now: now)
        }
        if session.router.hasNewCatchUps { noteCatchingUp(session) }
    }

    private func move(_ stream: EngineStream, to name: String, in session: EngineSession) {
        // The place among the loudest and the floor stay behind.
        for producer in stream.producers { fallSilent(producer.tag) }
        session.move(stream, to: session.room(named: name))
        for producer in stream.producers {
            inbound[producer.tag].room = .passUnretained(stream.room)
            producer.startAnew()
        }
    }

    /// Each once.
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

    /// Parts a subscriber from streams that are elsewhere, and brings it together with those that are where it is.
    private func refresh(
        _ transport: SubscribeTransport, only: EngineStream?, in session: EngineSession,
        _ touched: inout [ObjectIdentifier: WebRTCPeer]
    ) {
        for track in transport.tracks {
            guard only == nil || track.streamName == only?.name,
                let stream = only ?? session.stream(named: track.streamName),
                track.isParted != (stream.room.name != transport.room)
            else { continue }
            setParted(!track.isParted, track, of: transport, in: session)
            if let peer = transport.peer { touched[ObjectIdentifier(peer)] = peer }
        }
    }

    private func setParted(
        _ isParted: Bool, _ track: SubscribedTrack, of transport: SubscribeTransport, in session: EngineSession
    ) {
        let wasUnwanted = track.isUnwanted
        track.isParted = isParted
        guard track.isUnwanted != wasUnwanted, let producer = track.producer, !track.isPausedByBandwidth,
            !transport.paused.contains(track.kind)
        else { return }
        if isParted {
            _ = setPaused(true, track, of: producer, in: session)
        } else if session.router.resume(path: track.path, producer: producer) {
            requestKeyFrame(of: producer)
        }
    }
}
