import Forwarding
import MediaBase

/// Subsessions of a session. Media passes only between participants of the same subsession, whatever tracks exist.
extension EngineSession {
    /// Applies the moves of peers to other subsessions, all in one step. A participant that
    /// enters a subsession starts from each stream's cached key frame. The participants that it joins start from the next key frame of its
    /// streams, because earlier frames were for other participants.
    /// - Parameters:
    ///   - peers: peers of this worker whose `subsession` has changed.
    ///   - all: the moves, which the other parts of the session also apply.
    func move(
        _ peers: [WebRTCPeer], by all: [PeerMove], _ inbound: borrowing InboundTable, _ quiesced: borrowing Quiesced
    ) {
        parts.note(all)
        guard !peers.isEmpty else { return }
        var moves: [(stream: EngineStream, subsession: String)] = []
        for publisher in peers.compactMap(\.inbound) {
            for stream in streams(of: publisher) { moves.append((stream, publisher.subsession)) }
        }
        move(moves, peers.compactMap(\.outbound), inbound, quiesced)
    }

    /// Moves streams and subscribers, all in one step.
    /// - Parameter subscribers: subscribers whose `subsession` has changed.
    func move(
        _ moves: [(stream: EngineStream, subsession: String)], _ subscribers: [SubscribeTransport],
        _ inbound: borrowing InboundTable, _ quiesced: borrowing Quiesced
    ) {
        for (stream, subsession) in moves { move(stream, toSubsession: subsession, inbound) }
        // Runs after all streams have moved, so that participants who move together are not separated in between.
        for (stream, _) in moves {
            for transport in receivers(of: stream) { refresh(transport, only: stream, quiesced) }
        }
        for transport in subscribers { refresh(transport, only: nil, quiesced) }
    }

    private func move(_ stream: EngineStream, toSubsession name: String, _ inbound: borrowing InboundTable) {
        // A stream that moves is no longer one of the loudest or the active speaker.
        for producer in stream.producers { fallSilent(producer.tag, inbound) }
        move(stream, to: subsession(named: name))
        for producer in stream.producers {
            inbound[producer.tag].pointee.subsession = .passUnretained(stream.subsession)
            producer.startAnew()
        }
    }

    /// Returns the subscribers of a stream, each once.
    private func receivers(of stream: EngineStream) -> [SubscribeTransport] {
        var seen: Set<ObjectIdentifier> = []
        var receivers: [SubscribeTransport] = []
        for producer in stream.producers {
            for i in 0..<producer.core.pointee.consumerCount {
                guard let transport = subscribersByPath[producer.core.pointee.consumers[i].path],
                    seen.insert(ObjectIdentifier(transport)).inserted
                else { continue }
                receivers.append(transport)
            }
        }
        return receivers
    }

    /// Separates a subscriber from streams of other subsessions, and resumes its tracks of streams in its own subsession.
    private func refresh(_ transport: SubscribeTransport, only: EngineStream?, _ quiesced: borrowing Quiesced) {
        guard !transport.isPipe else { return }
        var isChanged = false
        for track in transport.tracks {
            guard only == nil || track.streamName == only?.name,
                let stream = only ?? stream(named: track.streamName),
                track.isParted != (stream.subsession.name != transport.subsession)
            else { continue }
            setParted(!track.isParted, track, of: transport, quiesced)
            isChanged = true
        }
        if isChanged, !transport.isPlain { emit(.allocate(transport)) }
    }

    private func setParted(
        _ isParted: Bool, _ track: SubscribedTrack, of transport: SubscribeTransport, _ quiesced: borrowing Quiesced
    ) {
        let wasUnwanted = track.isUnwanted
        track.isParted = isParted
        guard track.isUnwanted != wasUnwanted, let producer = track.producer, !track.isPausedByBandwidth,
            !transport.paused.contains(track.kind)
        else { return }
        if isParted {
            _ = track.setPaused(true, of: producer, in: router, quiesced)
        } else if router.resume(path: track.path, producer: producer) {
            emit(.requestKeyFrame(producer, isAwaited: false))
        }
    }
}
