import Forwarding
import MediaBase
import RTP
import SDP

/// Subscribers of a session and their tracks: each track is attached to the stream of its name as long as both exist.
extension EngineSession {
    private static let firstReportDelay = MediaTime.milliseconds(100)

    // MARK: subscribers

    /// Returns the requested stream; if the request names none, the newest whose video the subscriber accepts.
    func stream(for request: WebRTCRequest) throws(EngineError) -> EngineStream {
        let accepted = request.tracks.first { $0.kind == .video }?.codecs.compactMap(\.video)
        let found = request.stream.map { stream(named: $0) } ?? newestStream(in: accepted)
        guard let found else { throw .unknownStream(request.stream ?? "") }
        if let codec = found.codec, let accepted, !accepted.contains(codec) {
            throw .codecMismatch(offered: accepted, stream: codec)
        }
        return found
    }

    /// Adds a subscriber whose paths are open.
    func open(_ transport: SubscribeTransport) {
        subscribers.insert(transport, transport.id)
        if transport.isPipe { pipes += 1 }
        for path in transport.paths { subscribersByPath[path] = transport }
    }

    func close(_ transport: SubscribeTransport, _ quiesced: borrowing Quiesced) {
        subscribers.remove(transport.id)
        if transport.isPipe { pipes -= 1 }
        if transport.isPlain { starting.removeAll { $0 === transport } }
        for path in transport.paths {
            router.close(path: path)
            subscribersByPath[path] = nil
        }
        emit(.subscriberClosed(transport))
    }

    /// Makes a new allocation due for all subscribers, because encodings or their rates have changed.
    func allocateAll() {
        for transport in subscribers.members where !transport.isPlain && transport.isLevel {
            emit(.allocate(transport))
        }
    }

    // MARK: tracks

    /// Attaches the tracks of a new stream to subscribers that wait for this stream, or for all streams.
    func attachWaiting(
        to stream: EngineStream, now: MediaTime, _ numbers: inout IdentifierSource,
        besides plain: borrowing PlainIngress, _ quiesced: borrowing Quiesced
    ) {
        for transport in subscribers.members where !transport.isPipe {
            if transport.wantsAllStreams { addTracks(of: stream, to: transport, &numbers, besides: plain) }
            attach(transport, to: stream, now: now, quiesced)
        }
    }

    /// Adds a stream's tracks to a plain subscriber, up to its limit of SSRCs.
    func addTracks(
        of stream: EngineStream, to transport: SubscribeTransport, _ numbers: inout IdentifierSource,
        besides plain: borrowing PlainIngress
    ) {
        for target in transport.targets {
            guard let producer = stream.producer(target.kind),
                target.codec == nil || producer.codec == target.codec,
                !transport.tracks.contains(where: { $0.streamName == stream.name && $0.kind == target.kind })
            else { continue }
            guard transport.tracks.count < limits.ssrcsPerTransport else {
                emit(.refused)
                continue
            }
            let isFirst = !transport.tracks.contains { $0.kind == target.kind }
            let track = SubscribedTrack(
                streamName: stream.name, kind: target.kind, path: target.path, rtcpAddress: target.rtcpAddress,
                ssrc: (isFirst ? target.ssrc : nil) ?? numbers.ssrc(for: transport, besides: plain),
                payloadType: target.payloadType ?? producer.configuration.payloadType,
                progress: numbers.progress())
            transport.add(track)
            guard let rtx = target.rtx else { continue }
            let ssrc =
                (isFirst ? rtx.ssrc.map { SSRC($0) } : nil) ?? numbers.ssrc(for: transport, besides: plain)
            track.rtx = RTXStream(ssrc: ssrc, payloadType: PayloadType(rtx.payloadType))
        }
    }

    /// Adds a track to a connected subscriber, and attaches it to its stream if that exists.
    /// - Parameter isMeasured: packets get transport-wide sequence numbers and send times, as far as the subscriber supports them.
    func addTrack(
        _ wanted: SubscriberTrack, to transport: SubscribeTransport, choice: LayerChoice,
        preferences: StreamPreferences?, isMeasured: Bool, progress: Consumer.Progress, now: MediaTime,
        _ quiesced: borrowing Quiesced
    ) {
        let section = wanted.track
        let track = SubscribedTrack(
            mid: section.mid, streamName: wanted.stream, kind: section.kind, path: transport.path, ssrc: wanted.ssrc,
            payloadType: section.payloadType, codecs: section.codecs, rtxSSRC: wanted.rtxSSRC, progress: progress)
        var map = section.extensions
        if !isMeasured {
            track.unmeasured = section
            map[.transportWideCC] = nil
            map[.absSendTime] = nil
        }
        if map[.dependencyDescriptor] != nil {
            track.describedExtensions = HeaderExtensionTemplate(map: map, kind: section.kind, mid: section.mid)
            map[.dependencyDescriptor] = nil
        }
        track.extensions = HeaderExtensionTemplate(map: map, kind: section.kind, mid: section.mid)
        track.choice = choice
        if let preferences { track.preferences = preferences }
        if isMeasured { transport.admit(section, now: now) }
        transport.add(track)
        if let stream = stream(named: wanted.stream) { attach(transport, to: stream, now: now, quiesced) }
    }

    /// Gives the audio of a subscriber, which has had no video so far, transport-wide sequence numbers and send times.
    func measureAudio(of transport: SubscribeTransport, now: MediaTime, _ quiesced: borrowing Quiesced) {
        for track in transport.tracks {
            guard let section = track.unmeasured else { continue }
            track.unmeasured = nil
            track.extensions = HeaderExtensionTemplate(map: section.extensions, kind: section.kind, mid: section.mid)
            transport.admit(section, now: now)
            guard let producer = track.producer else { continue }
            router.setExtensions(track.extensions, path: track.path, producer: producer)
        }
    }

    /// Removes the tracks of some media sections. Unknown sections are ignored.
    /// - Returns: the streams of which the subscriber has no track any more.
    func removeTracks(_ mids: Set<MID>, of transport: SubscribeTransport, _ quiesced: borrowing Quiesced) -> [String] {
        var gone: [String] = []
        for track in transport.tracks where track.mid.map(mids.contains) == true {
            detach(track, quiesced)
            transport.remove(track)
            if !transport.tracks.contains(where: { $0.streamName == track.streamName }) {
                gone.append(track.streamName)
            }
        }
        return gone
    }

    /// Attaches the tracks of a subscriber that wait for a stream.
    func attach(
        _ transport: SubscribeTransport, to stream: EngineStream, now: MediaTime, _ quiesced: borrowing Quiesced
    ) {
        var isAttached = false
        let isParted = transport.subsession != stream.subsession.name
        for track in transport.tracks where track.streamName == stream.name && track.producer == nil {
            track.isParted = isParted
            guard acceptsCodec(of: stream, track, of: transport),
                let first = firstProducer(for: track, of: stream, now: now)
            else { continue }
            // The allocator chooses among all encodings. It does not do so for plain subscribers.
            let producer = transport.isPlain ? first : stream.substitute(for: first, now: now)
            if track.kind == .video, !track.progress.hasSent, producer.isActive(now: now) {
                track.firstFrameSince = now
            }
            attach(track, of: transport, to: producer, quiesced)
            isAttached = true
        }
        // The new track needs layers, even if the last allocation changed nothing.
        if isAttached, !transport.isPlain { emit(.allocate(transport)) }
        startReports(now: now)
    }

    /// Makes reports due soon for new tracks. A report can describe packets only after some have been sent.
    func startReports(now: MediaTime) { reportsAt = min(reportsAt, now + Self.firstReportDelay) }

    /// Returns whether the subscriber accepts the codec of the stream's video, if the track is video. A change is reported.
    private func acceptsCodec(
        of stream: EngineStream, _ track: SubscribedTrack, of transport: SubscribeTransport
    ) -> Bool {
        guard track.kind == .video, let codec = stream.codec else { return true }
        let isAccepted = track.accepts(codec)
        guard track.isUnsupported == isAccepted else { return isAccepted }
        track.isUnsupported = !isAccepted
        emit(
            .event(
                isAccepted
                    ? .supportedCodec(session: name, transport: transport.id, stream: stream.name)
                    : .unsupportedCodec(session: name, transport: transport.id, stream: stream.name, codec: codec)))
        return isAccepted
    }

    /// Returns the producer that feeds a track until layers are chosen. An upper bound on its size holds from the first frame.
    private func firstProducer(for track: SubscribedTrack, of stream: EngineStream, now: MediaTime) -> Producer? {
        guard track.kind == .video, track.choice == .automatic else { return stream.producer(track.kind) }
        return stream.video(within: track.preferences.limits(of: stream, now: now).maximumHeight, now: now)
    }

    func attach(
        _ track: SubscribedTrack, of transport: SubscribeTransport, to producer: Producer,
        _ quiesced: borrowing Quiesced
    ) {
        var consumer = Consumer(
            path: track.path, ssrc: track.ssrc, payloadType: track.payloadType, progress: track.progress)
        consumer.rtx = track.rtx
        consumer.redPayloadType = track.redPayloadType
        consumer.takesRequests = track.takesRequests
        consumer.extensions =
            producer.canHaveSpatialLayers ? track.describedExtensions ?? track.extensions : track.extensions
        if transport.paused.contains(track.kind) || track.isUnwanted || track.isPausedByBandwidth
            || track.piped.isStopped
        {
            consumer.state = .paused
        }
        track.producer = producer
        if router.subscribe(consumer, to: producer) { emit(.requestKeyFrame(producer, isAwaited: true)) }
        #if DEBUG
            emit(.attached(track, producer))
        #endif
    }

    /// Detaches a track from its producer. The state of the outgoing stream is kept for the next producer.
    func detach(_ track: SubscribedTrack, _ quiesced: borrowing Quiesced) {
        if let producer = track.producer, let progress = router.unsubscribe(path: track.path, from: producer) {
            track.progress = progress
        }
        track.producer = nil
        track.wanted = nil
    }

    // MARK: encodings

    /// Moves plain subscribers to the largest active encoding. They send no feedback about their paths. Each track of a pipe stays at
    /// its encoding.
    func moveOthers(to stream: EngineStream, now: MediaTime, _ quiesced: borrowing Quiesced) {
        guard let best = stream.video else { return }
        emit(.requestKeyFrame(best, isAwaited: false))
        for transport in subscribers.members where transport.isPlain && !transport.isPipe {
            for track in transport.tracks where track.streamName == stream.name && track.kind == .video {
                guard let producer = track.producer, producer !== best else { continue }
                _ = router.switchConsumer(path: track.path, from: producer, to: best, now: now)
            }
        }
    }

    /// Updates the tracks that have switched to another encoding, and counts the switches.
    func follow(_ quiesced: borrowing Quiesced) {
        for change in router.takeSwitches() {
            guard let transport = subscribersByPath[change.path],
                let track = transport.track(of: change.ssrc),
                let stream = stream(named: track.streamName),
                let producer = stream.producers.first(where: { $0.configuration.ssrc == change.to })
            else { continue }
            track.producer = producer
            if change.from != change.to { track.hasSwitched = true }
            emit(.switched(after: change.at - change.requestedAt))
        }
    }

    // MARK: pauses

    /// Pauses or resumes one kind of media of a subscriber.
    func setPaused(
        _ isPaused: Bool, _ kind: MediaKind, ofTransport id: TransportID, _ quiesced: borrowing Quiesced
    ) throws(EngineError) {
        guard let transport = subscribers[id], !transport.isPipe else { throw .unknownTransport(id.rawValue) }
        let tracks = transport.tracks.filter { $0.kind == kind }
        guard !tracks.isEmpty else {
            throw .invalidRequest(field: "kind", reason: "the transport gets no \(kind.rawValue)")
        }
        if isPaused { transport.paused.insert(kind) } else { transport.paused.remove(kind) }
        for track in tracks {
            guard let producer = track.producer, !track.isUnwanted, !track.isPausedByBandwidth else { continue }
            if track.setPaused(isPaused, of: producer, in: router, quiesced) {
                emit(.requestKeyFrame(producer, isAwaited: false))
            }
        }
        if !transport.isPlain { emit(.allocate(transport)) }
    }

    /// Sets the layers of video that a subscriber of one stream gets.
    func choose(_ choice: LayerChoice, for transport: SubscribeTransport) {
        for track in transport.tracks { track.choice = choice }
    }

    /// Sets a subscriber's preferences for a stream.
    /// - Returns: whether they differ from those before.
    func setPreferences(
        _ preferences: StreamPreferences, ofStream stream: String, for transport: SubscribeTransport,
        _ quiesced: borrowing Quiesced
    ) -> Bool {
        var isChanged = false
        for track in transport.tracks where track.streamName == stream && track.preferences != preferences {
            isChanged = true
            let wasUnwanted = track.isUnwanted
            track.preferences = preferences
            guard track.isUnwanted != wasUnwanted, !track.isPausedByBandwidth, let producer = track.producer,
                !transport.paused.contains(track.kind)
            else { continue }
            if track.setPaused(track.isUnwanted, of: producer, in: router, quiesced) {
                emit(.requestKeyFrame(producer, isAwaited: true))
            }
        }
        return isChanged
    }

    // MARK: moves

    /// Recovers a subscriber whose address has changed. Packets sent to its old address are lost, possibly seconds of them. A key frame
    /// restores the video sooner than retransmissions, which would fill a path of unknown capacity.
    func refresh(_ transport: SubscribeTransport, now: MediaTime, _ quiesced: borrowing Quiesced) {
        for track in transport.tracks where track.kind == .video {
            guard let producer = track.producer,
                let latest = router.latestSequence(path: track.path, producer: producer)
            else { continue }
            track.abandoned = (latest, now)
            if !track.isUnwanted, !track.isPausedByBandwidth {
                let feeder = router.feeder(path: track.path, ssrc: track.ssrc, expected: producer)
                emit(.requestKeyFrame(feeder ?? producer, isAwaited: false))
            }
        }
    }
}
