import CLinuxNet
import Forwarding
import MediaBase
import RTP
import SRTP

/// Sessions, streams, producers and subscriptions for all kinds of transports. Runs on the worker's thread.
extension Worker {
    /// Creates a session without listing it in `sessions`; the caller lists it on success.
    func newSession(_ name: String) throws(EngineError) -> EngineSession {
        guard totals.sessions.sum < configuration.limits.sessions else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "sessions", limit: configuration.limits.sessions)
        }
        return EngineSession(name: name, loudest: configuration.webRTC.loudestAudio)
    }

    func admitTransport(to session: EngineSession) throws(EngineError) {
        guard
            session.publishers.count + session.subscribers.count + session.awaited
                < configuration.limits.transportsPerSession
        else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "transportsPerSession", limit: configuration.limits.transportsPerSession)
        }
    }

    /// Checks that a stream of this name can be published. Generates a name if there is none.
    func admitStream(_ name: String?, to session: EngineSession) throws(EngineError) -> String {
        guard session.streams.count + session.reserved.count < configuration.limits.streamsPerSession else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "streamsPerSession", limit: configuration.limits.streamsPerSession)
        }
        let name = name ?? "stream-\(hex(8))"
        guard name != PlainTransportRequest.allStreams else {
            throw .invalidRequest(field: "stream", reason: "this name stands for every stream")
        }
        guard session.stream(named: name) == nil, session.reserved[name] == nil else {
            throw .streamExists(name)
        }
        return name
    }

    /// Adds a producer to a stream: its audio track, or one encoding of its video track.
    /// - Parameter position: index of a video encoding among the stream's encodings.
    func addProducer(
        _ configuration: Producer.Configuration, rid: RID? = nil, at position: Int = 0, to stream: EngineStream,
        of transport: PublishTransport, in session: EngineSession, now: MediaTime
    ) -> Producer {
        let producer = Producer(configuration, now: now)
        session.router.add(producer)
        producer.tag = inbound.add(
            InboundTrack(
                session: .passUnretained(session), stream: .passUnretained(stream), room: .passUnretained(stream.room),
                transport: .passUnretained(transport), producer: .passUnretained(producer),
                ssrc: configuration.ssrc, kind: configuration.kind, hasTaps: !stream.taps.isEmpty,
                headers: headerLog(configuration.kind)))
        transport.tracks.append(producer.tag)
        if configuration.kind == .audio {
            stream.audio = producer
            session.audioProducers += 1
        } else {
            stream.codec = configuration.codec
            stream.insert(.init(rid: rid, producer: producer), at: position)
        }
        return producer
    }

    /// Attaches the tracks of a new stream to subscribers that wait for this stream, or for all streams.
    func attachWaiting(
        to stream: EngineStream, in session: EngineSession, now: MediaTime, _ quiesced: borrowing Quiesced
    ) {
        for transport in session.subscribers.members {
            if transport.wantsAllStreams { addTracks(of: stream, to: transport, in: session) }
            attach(transport, to: stream, in: session, now: now, quiesced)
        }
    }

    /// Adds a stream's tracks to a plain subscriber, up to its limit of SSRCs; refused tracks are counted.
    func addTracks(of stream: EngineStream, to transport: SubscribeTransport, in session: EngineSession) {
        for target in transport.targets {
            guard let producer = stream.producer(target.kind),
                target.codec == nil || producer.codec == target.codec,
                !transport.tracks.contains(where: { $0.streamName == stream.name && $0.kind == target.kind })
            else { continue }
            guard transport.tracks.count < configuration.limits.ssrcsPerTransport else {
                counters.refusedLimit &+= 1
                continue
            }
            let isFirst = !transport.tracks.contains { $0.kind == target.kind }
            let track = SubscribedTrack(
                streamName: stream.name, kind: target.kind, path: target.path, rtcpAddress: target.rtcpAddress,
                ssrc: (isFirst ? target.ssrc : nil) ?? freeSSRC(for: transport),
                payloadType: target.payloadType ?? producer.configuration.payloadType,
                progress: freshProgress())
            transport.add(track)
            guard let rtx = target.rtx else { continue }
            let ssrc = (isFirst ? rtx.ssrc.map { SSRC($0) } : nil) ?? freeSSRC(for: transport)
            track.rtx = RTXStream(ssrc: ssrc, payloadType: PayloadType(rtx.payloadType))
        }
    }

    func attach(
        _ transport: SubscribeTransport, to stream: EngineStream, in session: EngineSession, now: MediaTime,
        _ quiesced: borrowing Quiesced
    ) {
        var isAttached = false
        let isParted = transport.room != stream.room.name
        for track in transport.tracks where track.streamName == stream.name && track.producer == nil {
            track.isParted = isParted
            guard acceptsCodec(of: stream, track, of: transport, in: session),
                let producer = firstProducer(for: track, of: stream, now: now)
            else { continue }
            attach(track, of: transport, to: producer, in: session, quiesced)
            isAttached = true
        }
        // The new track needs layers, even if the last allocation changed nothing.
        if isAttached, !transport.isPlain { allocateSoon(transport, now: now) }
        if session.router.hasNewCatchUps { egress.noteCatchingUp(session) }
        // A report can describe packets only after some have been sent.
        session.reportsAt = min(session.reportsAt, now + Self.firstReportDelay)
    }

    /// Returns whether the subscriber accepts the codec of the stream's video, if the track is video. A change is reported.
    private func acceptsCodec(
        of stream: EngineStream, _ track: SubscribedTrack, of transport: SubscribeTransport, in session: EngineSession
    ) -> Bool {
        guard track.kind == .video, let codec = stream.codec else { return true }
        let isAccepted = track.accepts(codec)
        guard track.isUnsupported == isAccepted else { return isAccepted }
        track.isUnsupported = !isAccepted
        events.send(
            isAccepted
                ? .supportedCodec(session: session.name, transport: transport.id, stream: stream.name)
                : .unsupportedCodec(
                    session: session.name, transport: transport.id, stream: stream.name, codec: codec))
        return isAccepted
    }

    /// Returns the producer that feeds a track until layers are chosen. An upper bound on its size holds from the first frame.
    private func firstProducer(for track: SubscribedTrack, of stream: EngineStream, now: MediaTime) -> Producer? {
        guard track.kind == .video, track.choice == .automatic else { return stream.producer(track.kind) }
        return stream.video(within: track.preferences.limits(of: stream, now: now).maximumHeight, now: now)
    }

    func attach(
        _ track: SubscribedTrack, of transport: SubscribeTransport, to producer: Producer, in session: EngineSession,
        _ quiesced: borrowing Quiesced
    ) {
        var consumer = Consumer(
            path: track.path, ssrc: track.ssrc, payloadType: track.payloadType, progress: track.progress)
        consumer.rtx = track.rtx
        consumer.extensions =
            producer.canHaveSpatialLayers ? track.describedExtensions ?? track.extensions : track.extensions
        if transport.paused.contains(track.kind) || track.isUnwanted || track.isPausedByBandwidth {
            consumer.state = .paused
        }
        track.producer = producer
        if session.router.subscribe(consumer, to: producer) { requestKeyFrame(of: producer, isAwaited: true) }
        #if DEBUG
            withholdPictures(from: track, of: producer, in: session)
        #endif
    }

    /// Moves plain subscribers to the largest active encoding. They send no feedback about their paths.
    func moveOthers(to stream: EngineStream, in session: EngineSession, now: MediaTime, _ quiesced: borrowing Quiesced)
    {
        guard let best = stream.video else { return }
        requestKeyFrame(of: best)
        for transport in session.subscribers.members where transport.isPlain {
            for track in transport.tracks where track.streamName == stream.name && track.kind == .video {
                guard let producer = track.producer, producer !== best else { continue }
                _ = session.router.switchConsumer(path: track.path, from: producer, to: best, now: now)
            }
        }
    }

    /// Updates the tracks that have switched to another encoding.
    func follow(_ session: EngineSession, _ quiesced: borrowing Quiesced) {
        for change in session.router.takeSwitches() {
            guard let transport = session.subscribersByPath[change.path],
                let track = transport.track(of: change.ssrc),
                let stream = session.stream(named: track.streamName),
                let producer = stream.producers.first(where: { $0.configuration.ssrc == change.to })
            else { continue }
            track.producer = producer
            track.hasSwitched = true
            counters.layerSwitches &+= 1
            counters.switchDelay.record(change.at - change.requestedAt, packets: 1)
        }
    }

    /// Detaches a track from its producer. The state of the outgoing stream is kept for the next producer.
    func detach(_ track: SubscribedTrack, in session: EngineSession, _ quiesced: borrowing Quiesced) {
        if let producer = track.producer,
            let progress = session.router.unsubscribe(path: track.path, from: producer)
        {
            track.progress = progress
        }
        track.producer = nil
        track.wanted = nil
    }

    /// Forgets a session without transports. Another session may have its name by now.
    func forgetIfEmpty(_ session: EngineSession) {
        if session.isEmpty, sessions[session.name] === session { sessions[session.name] = nil }
    }

    func close(_ transport: SubscribeTransport, in session: EngineSession, _ quiesced: borrowing Quiesced) {
        session.subscribers.remove(transport.id)
        if transport.isPlain { session.starting.removeAll { $0 === transport } }
        for path in transport.paths {
            session.router.close(path: path)
            session.subscribersByPath[path] = nil
        }
        if transport.isPlain {
            plain.remove(transport)
            egress.protector.freeLeg(transport.leg)
        }
    }

    func close(_ transport: PublishTransport, in session: EngineSession, _ quiesced: borrowing Quiesced) {
        for stream in session.streams(of: transport) { close(stream, in: session, quiesced) }
        session.publishers.remove(transport.id)
        if transport.isPlain { egress.protector.freeLeg(transport.leg) }
    }

    /// Ends a stream; its transport remains.
    func close(_ stream: EngineStream, in session: EngineSession, _ quiesced: borrowing Quiesced) {
        // Must run before the stream is removed, because it looks streams up by name.
        follow(session, quiesced)
        session.remove(stream)
        for producer in stream.producers { remove(producer, of: stream, in: session, quiesced) }
        for tap in stream.taps { tap.close() }
        for transport in session.subscribers.members {
            for track in transport.tracks where track.isUnsupported && track.streamName == stream.name {
                track.isUnsupported = false
            }
        }
        events.send(.closed(session: session.name, transport: stream.source.transport, stream: stream.name))
    }

    /// Ends the audio or one encoding of a stream. Its subscribed tracks wait for another producer.
    func remove(
        _ producer: Producer, of stream: EngineStream, in session: EngineSession, _ quiesced: borrowing Quiesced
    ) {
        // `detach` reads a track's progress from the producer that currently feeds it, so that completed switches must be known first.
        follow(session, quiesced)
        for subscriber in session.subscribers.members {
            for track in subscriber.tracks where track.producer === producer || track.wanted === producer {
                detach(track, in: session, quiesced)
            }
        }
        session.router.remove(producer)
        stream.remove(producer)
        if producer.kind == .audio { session.audioProducers -= 1 }
        session.publisher(of: stream)?.tracks.removeAll { $0 == producer.tag }
        removeInbound(producer.tag)
    }

    func closeAll() {
        let quiesced = flush()
        for peer in peers.all {
            peer.transport.close(now: time())
            act(on: peer, now: time())
            end(peer, quiesced)
        }
        for session in sessions.values {
            for transport in session.publishers.members { close(transport, in: session, quiesced) }
            for transport in session.subscribers.members { close(transport, in: session, quiesced) }
        }
        sessions = [:]
        awaited = [:]
    }

    private func headerLog(_ kind: MediaKind) -> HeaderLog? {
        let count = configuration.limits.headersPerTrack / (kind == .video ? 1 : 2)
        return count > 0 ? HeaderLog(capacity: count) : nil
    }

    private func removeInbound(_ index: Int) {
        fallSilent(index)
        plain.remove(track: index)
        inbound.remove(index)
    }

    /// Returns an unused SSRC.
    /// - Parameter transport: the SSRC also differs from those that it has or requested, since two
    ///   streams under one SSRC and key would share a keystream.
    func freeSSRC(for transport: SubscribeTransport? = nil) -> SSRC {
        while true {
            let ssrc = SSRC(UInt32.random(in: 1...UInt32.max, using: &random))
            let isTaken = transport.map {
                $0.tracks.contains { $0.ssrc == ssrc || $0.rtx?.ssrc == ssrc }
                    || $0.targets.contains { $0.ssrc == ssrc || $0.rtx?.ssrc == ssrc.rawValue }
            }
            if isTaken != true, !plain.uses(ssrc) { return ssrc }
        }
    }

    func freshProgress() -> Consumer.Progress {
        Consumer.Progress(
            firstSequence: UInt16.random(in: 0...UInt16.max, using: &random),
            firstRTXSequence: UInt16.random(in: 0...UInt16.max, using: &random))
    }

    func hex(_ digits: Int) -> String {
        let all = Array("0123456789abcdef")
        return String((0..<digits).map { _ in all[Int.random(in: 0..<16, using: &random)] })
    }
}
