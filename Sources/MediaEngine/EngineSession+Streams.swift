import Forwarding
import MediaBase
import RTP
import SDP

/// Published streams of a session and their producers.
extension EngineSession {
    /// Adds a producer to a stream: its audio track, or one encoding of its video track.
    /// - Parameters:
    ///   - position: index of a video encoding among the stream's encodings.
    ///   - transport: publisher; nil: the packets come from another worker.
    ///   - mirrored: number of the track there, and index of that worker.
    func addProducer(
        _ configuration: Producer.Configuration, rid: RID? = nil, at position: Int = 0, to stream: EngineStream,
        of transport: PublishTransport?, mirrored: (number: UInt64, worker: Int)? = nil, now: MediaTime,
        _ inbound: inout InboundTable
    ) -> Producer {
        let producer = Producer(configuration, now: now)
        router.add(producer)
        let headers = limits.headersPerTrack / (configuration.kind == .video ? 1 : 2)
        producer.tag = inbound.add(
            InboundTrack(
                session: .passUnretained(self), stream: .passUnretained(stream),
                subsession: .passUnretained(stream.subsession),
                transport: transport.map { .passUnretained($0) }, producer: .passUnretained(producer),
                ssrc: configuration.ssrc, kind: configuration.kind, number: mirrored?.number ?? 0,
                origin: mirrored?.worker ?? -1, hasTaps: stream.hasTaps,
                insertsParameterSets: producer.inserter != nil,
                headers: headers > 0 ? HeaderLog(capacity: headers) : nil))
        transport?.tracks.append(producer.tag)
        noteChange(of: stream)
        if configuration.kind == .audio {
            stream.audio = producer
            audioProducers += 1
        } else {
            stream.codec = configuration.codec
            stream.insert(.init(rid: rid, producer: producer), at: position)
        }
        return producer
    }

    /// Ends the audio or one encoding of a stream. Its subscribed tracks wait for another producer.
    func remove(
        _ producer: Producer, of stream: EngineStream, _ inbound: inout InboundTable, _ quiesced: borrowing Quiesced
    ) {
        // `detach` reads a track's progress from the producer that currently feeds it, so that completed switches must be known first.
        follow(quiesced)
        for subscriber in subscribers.members {
            for track in subscriber.tracks where track.producer === producer || track.wanted === producer {
                detach(track, quiesced)
            }
        }
        router.remove(producer)
        stream.remove(producer)
        if producer.kind == .audio { audioProducers -= 1 }
        publisher(of: stream)?.tracks.removeAll { $0 == producer.tag }
        noteChange(of: stream)
        fallSilent(producer.tag, inbound)
        inbound.remove(producer.tag)
        // Requests that were decided before must not reach the next track with this index.
        producer.tag = -1
    }

    /// Ends a stream; its transport remains.
    func close(_ stream: EngineStream, _ inbound: inout InboundTable, _ quiesced: borrowing Quiesced) {
        end(stream, &inbound, quiesced)
        emit(.event(.closed(session: name, transport: stream.source.transport, stream: stream.name)))
    }

    /// Ends a stream without an event.
    func end(_ stream: EngineStream, _ inbound: inout InboundTable, _ quiesced: borrowing Quiesced) {
        // Must run before the stream is removed, because it looks streams up by name.
        follow(quiesced)
        remove(stream)
        for producer in stream.producers { remove(producer, of: stream, &inbound, quiesced) }
        stream.closeTaps()
        for transport in subscribers.members {
            for track in transport.tracks where track.isUnsupported && track.streamName == stream.name {
                track.isUnsupported = false
            }
        }
    }

    /// Ends a publisher with its streams.
    func close(_ transport: PublishTransport, _ inbound: inout InboundTable, _ quiesced: borrowing Quiesced) {
        let tracks = transport.tracks
        for stream in streams(of: transport) { close(stream, &inbound, quiesced) }
        publishers.remove(transport.id)
        transport.replace([])
        emit(.publisherClosed(transport, tracks: tracks))
    }

    /// Ends a plain publisher or subscriber at its client's request.
    func closePlain(_ id: TransportID, _ inbound: inout InboundTable, _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        if let subscriber = subscribers[id], subscriber.isPlain, !subscriber.isPipe {
            close(subscriber, quiesced)
        } else if let publisher = publishers[id], publisher.isPlain, !publisher.isPipe {
            close(publisher, &inbound, quiesced)
        } else {
            throw .unknownTransport(id.rawValue)
        }
    }

    /// Ends all transports, because the worker stops.
    func closeAll(_ inbound: inout InboundTable, _ quiesced: borrowing Quiesced) {
        for transport in publishers.members {
            if transport.isPipe {
                endMirrors(of: transport, &inbound, quiesced)
            } else {
                close(transport, &inbound, quiesced)
            }
        }
        for transport in subscribers.members { close(transport, quiesced) }
    }

    // MARK: publishers

    /// Adds a connected publisher, with the streams that were reserved for it.
    func open(
        _ publisher: PublishTransport, _ published: [PublishedSection], at realTime: Int64, now: MediaTime,
        _ inbound: inout InboundTable, _ numbers: inout IdentifierSource, besides plain: borrowing PlainIngress,
        _ quiesced: borrowing Quiesced
    ) {
        publishers.insert(publisher, publisher.id)
        // The tracks may have been muted or unmuted since the offer.
        let sections = reserved.take(published)
        replace(sections, of: publisher, at: realTime, now: now, &inbound, &numbers, besides: plain, quiesced)
    }

    /// Replaces the sections of a connected publisher, and its streams and tracks accordingly.
    func replace(
        _ sections: [PublishedSection], of publisher: PublishTransport, at realTime: Int64, now: MediaTime,
        _ inbound: inout InboundTable, _ numbers: inout IdentifierSource, besides plain: borrowing PlainIngress,
        _ quiesced: borrowing Quiesced
    ) {
        var streams: [String: EngineStream] = [:]
        for section in publisher.sections { streams[section.stream.name] = section.stream }
        let names = Set(sections.map(\.stream))
        for stream in self.streams(of: publisher) where !names.contains(stream.name) {
            close(stream, &inbound, quiesced)
            streams[stream.name] = nil
        }
        var fresh: [EngineStream] = []
        var next: [(section: PublishTransport.Section, before: Int?)] = []
        for section in sections {
            let stream: EngineStream
            if let known = streams[section.stream] {
                stream = known
            } else {
                stream = EngineStream(
                    name: section.stream, source: publisher.source, subsession: subsession(of: publisher),
                    createdAt: realTime,
                    isEncrypted: section.isEncrypted)
                streams[section.stream] = stream
                fresh.append(stream)
            }
            let kind = section.track.kind
            let before = publisher.sections.firstIndex { $0.stream === stream && $0.track.kind == kind }
            // A new track, or one that returns, starts as its section says; no state of a removed track is kept.
            if before == nil { stream.setMuted(section.startsMuted, kind) }
            let isSame = before.map { publisher.sections[$0].track.hasSamePackets(as: section.track) } ?? false
            next.append((PublishTransport.Section(track: section.track, stream: stream), isSame ? before : nil))
        }
        let kept = Set(next.compactMap(\.before))
        for (index, section) in publisher.sections.enumerated() where !kept.contains(index) {
            // Closing a stream has already removed its producers.
            guard names.contains(section.stream.name) else { continue }
            for producer in publisher.producers[index].compactMap(\.self) {
                remove(producer, of: section.stream, &inbound, quiesced)
            }
        }
        publisher.replace(next)
        for (index, section) in publisher.sections.enumerated() where section.track.kind == .video {
            for producer in publisher.producers[index].compactMap(\.self) {
                producer.replace(parameterSets: section.track.insertableSets)
                inbound[producer.tag].pointee.insertsParameterSets = producer.inserter?.isNeeded ?? false
            }
        }
        for stream in streams.values {
            let video = sections.first { $0.stream == stream.name && $0.track.kind == .video }
            let isChanged = stream.codec != nil && stream.codec != video?.track.videoCodec
            stream.codec = video?.track.videoCodec
            // Subscribers that do not accept the new codec are told before its first packet.
            if isChanged { attachWaiting(to: stream, now: now, &numbers, besides: plain, quiesced) }
            noteChange(of: stream)
        }
        for stream in fresh {
            add(stream)
            attachWaiting(to: stream, now: now, &numbers, besides: plain, quiesced)
            emit(.event(.published(session: name, transport: publisher.id, stream: stream.name)))
        }
    }

    /// Creates the producer of an encoding with its first packet.
    func begin(
        _ binding: PublishTransport.Binding, ssrc: SSRC, of publisher: PublishTransport, now: MediaTime,
        _ inbound: inout InboundTable, _ numbers: inout IdentifierSource, besides plain: borrowing PlainIngress,
        _ quiesced: borrowing Quiesced
    ) -> Producer {
        let section = publisher.sections[binding.section].track
        let stream = publisher.sections[binding.section].stream
        if stream.producer(section.kind) == nil {
            emit(
                .event(
                    .mediaBegan(session: name, transport: publisher.id, stream: stream.name, kind: section.kind)))
        }
        let position = publisher.producers[binding.section][..<binding.encoding].count { $0 != nil }
        // Browsers may send no key frame for minutes, but send one within a frame interval on request.
        let sendsKeyFrames = section.feedback.contains(.pli)
        var configuration = Producer.Configuration(
            kind: section.kind, codec: section.videoCodec ?? .vp8, ssrc: ssrc, payloadType: section.payloadType,
            retransmissionBytes: limits.retransmissionBytes, followsRate: sendsKeyFrames)
        if section.kind == .audio {
            configuration.redPayloadType = section.redPayloadType
            // Browsers send audio again only if it was negotiated.
            configuration.requestsMissing = section.feedback.contains(.nack)
            configuration.requestTiming = .audio
        } else {
            configuration.parameterSets = section.insertableSets
        }
        let producer = addProducer(
            configuration, rid: section.encodings[binding.encoding].rid, at: position, to: stream, of: publisher,
            now: now, &inbound)
        producer.setMuted(stream.muted.contains(section.kind))
        publisher.feedback.media = ssrc
        if sendsKeyFrames { producer.replayLimit = Self.replayLimit }
        publisher.producers[binding.section][binding.encoding] = producer
        attachWaiting(to: stream, now: now, &numbers, besides: plain, quiesced)
        if section.kind == .video { emit(.requestKeyFrame(producer, isAwaited: false)) }
        return producer
    }

    private static let replayLimit = MediaTime.milliseconds(500)

    /// Continues an encoding under another SSRC.
    func move(
        _ producer: Producer, to header: RTPHeader, of publisher: PublishTransport,
        _ binding: PublishTransport.Binding, isReturn: Bool, _ inbound: inout InboundTable,
        _ quiesced: borrowing Quiesced
    ) {
        restart(producer, with: header, inbound, quiesced)
        publisher.feedback.media = header.ssrc
        publisher.sections[binding.section].stream.interruptTaps(of: producer)
        noteChange(of: publisher.sections[binding.section].stream)
        publisher.supersede(by: header.ssrc, isReturn: isReturn)
    }

    /// Continues a producer under another SSRC: that of the publisher or, for a mirror, that of its origin.
    /// - Parameter header: header of the first packet under that SSRC.
    func restart(
        _ producer: Producer, with header: RTPHeader, _ inbound: borrowing InboundTable, _ quiesced: borrowing Quiesced
    ) {
        // Must run before the SSRC changes, because completed switches name the old one.
        follow(quiesced)
        producer.restart(ssrc: header.ssrc, first: header.sequenceNumber)
        inbound[producer.tag].pointee.ssrc = header.ssrc
        if producer.kind == .video { emit(.requestKeyFrame(producer, isAwaited: false)) }
    }

    /// Returns the encoding with the number that its track has here (`InboundTrack.number`); nil if it has ended.
    func encoding(ofTrack number: UInt64, _ inbound: borrowing InboundTable) -> Producer? {
        for stream in streams {
            for encoding in stream.encodings where inbound[encoding.producer.tag].pointee.number == number {
                return encoding.producer
            }
        }
        return nil
    }

    // MARK: mute

    /// Mutes or unmutes one kind of a stream, also before its publisher has connected.
    func setMuted(
        _ isMuted: Bool, _ kind: MediaKind, ofStream stream: String, _ inbound: borrowing InboundTable,
        _ quiesced: borrowing Quiesced
    ) throws(EngineError) {
        if reserved.setMuted(isMuted, kind, ofStream: stream) { return }
        let found = try publishedStream(named: stream)
        let producers = found.producers.filter { $0.kind == kind }
        // Tracks of a WebRTC publisher are known before their first packets.
        let announced = publisher(of: found)?.sections.contains { $0.stream === found && $0.track.kind == kind }
        guard announced == true || !producers.isEmpty else {
            throw .invalidRequest(field: "kind", reason: "the stream has no \(kind.rawValue)")
        }
        setMuted(isMuted, kind, of: found, inbound, quiesced)
        noteChange(of: found)
    }

    /// Mutes or unmutes one kind of a published stream.
    func setMuted(
        _ isMuted: Bool, _ kind: MediaKind, of stream: EngineStream, _ inbound: borrowing InboundTable,
        _ quiesced: borrowing Quiesced
    ) {
        stream.setMuted(isMuted, kind)
        for producer in stream.producers where producer.kind == kind {
            producer.setMuted(isMuted)
            if isMuted { fallSilent(producer.tag, inbound) }
            if !isMuted, kind == .video { emit(.requestKeyFrame(producer, isAwaited: false)) }
        }
        // A lost key frame has to be requested again; the next allocation does so.
        if !isMuted, kind == .video { allocateAll() }
    }
}

extension TrackDescription {
    /// Parameter sets that the description has for the packets. With several encodings it is not known whose they are.
    fileprivate var insertableSets: H264ParameterSets? { encodings.count == 1 ? codecs[0].parameterSets : nil }

    /// Returns whether both descriptions describe the same packets. Packets of another codec need another producer: subscribers get
    /// them under another payload type, or not at all.
    fileprivate func hasSamePackets(as other: TrackDescription) -> Bool {
        mid == other.mid && payloadType == other.payloadType && redPayloadType == other.redPayloadType
            && videoCodec == other.videoCodec && encodings == other.encodings
    }
}
