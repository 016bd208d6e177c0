import Forwarding
import MediaBase
import SDP

/// Streams on their way from the relay of their publishers to other relays. The sending end is a subscriber of each track, and the receiving
/// end is the publisher of mirrors of the streams, so that subscribers, switches between encodings and parts of the session work as with other
/// streams.
extension EngineSession {
    // MARK: sending relay

    /// Returns the description of the streams that are published at this relay. Streams that come from other relays are left out, so that no
    /// packet goes in circles.
    func describeForPipes(_ inbound: borrowing InboundTable) -> PipeDescription {
        arePipesTold = true
        var described: [PipeDescription.Stream] = []
        for stream in streams where !stream.source.isPipe {
            var tracks: [PipeDescription.Track] = []
            if let audio = stream.audio { tracks.append(track(audio, rid: nil, inbound)) }
            for encoding in stream.encodings { tracks.append(track(encoding.producer, rid: encoding.rid, inbound)) }
            described.append(
                PipeDescription.Stream(
                    name: stream.name, subsession: stream.subsession.name, createdAt: stream.createdAt,
                    isEncrypted: stream.isEncrypted, codec: stream.codec, muted: stream.muted, tracks: tracks))
        }
        return PipeDescription(streams: described)
    }

    private func track(_ producer: Producer, rid: RID?, _ inbound: borrowing InboundTable) -> PipeDescription.Track {
        PipeDescription.Track(
            number: inbound[producer.tag].pointee.number, kind: producer.kind, rid: rid?.rawValue,
            payloadType: producer.configuration.payloadType.rawValue, replayLimit: producer.replayLimit)
    }

    /// Sends the requested tracks through a pipe, and no others. Unknown ones have ended, and are ignored. Those under an SSRC that the pipe has
    /// used before are refused and counted.
    func send(
        _ wanted: [PipeTrack], through pipe: SubscribeTransport, now: MediaTime, _ inbound: borrowing InboundTable,
        _ numbers: inout IdentifierSource, _ quiesced: borrowing Quiesced
    ) {
        var rest = Dictionary(wanted.map { (SSRC($0.ssrc), $0) }, uniquingKeysWith: { first, _ in first })
        // `detach` reads a track's progress from the producer that feeds it, so that completed switches must be known first.
        follow(quiesced)
        for track in pipe.tracks where rest.removeValue(forKey: track.ssrc) == nil || track.producer == nil {
            detach(track, quiesced)
            pipe.remove(track)
        }
        guard !rest.isEmpty, let target = pipe.targets.first else { return }
        let requested = Dictionary(rest.values.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        for stream in streams where !stream.source.isPipe {
            for producer in stream.producers {
                guard let track = requested[inbound[producer.tag].pointee.number],
                    pipe.tracks.count < PipeFormat.maximumTracks
                else { continue }
                guard pipe.takeUnused([SSRC(track.ssrc), SSRC(track.rtx)]) else {
                    emit(.refused)
                    continue
                }
                let map =
                    switch (pipe.limit != nil, producer.canHaveSpatialLayers) {
                    case (true, true): PipeFormat.measuredExtensions
                    case (true, false): PipeFormat.measuredShortExtensions
                    case (false, true): PipeFormat.extensions
                    case (false, false): PipeFormat.shortExtensions
                    }
                let sent = SubscribedTrack(
                    streamName: stream.name, kind: producer.kind, path: target.path, rtcpAddress: target.rtcpAddress,
                    ssrc: SSRC(track.ssrc), payloadType: producer.configuration.payloadType,
                    progress: numbers.progress())
                sent.extensions = HeaderExtensionTemplate(map: map, kind: producer.kind)
                sent.rtx = RTXStream(ssrc: SSRC(track.rtx), payloadType: PipeFormat.rtx)
                pipe.add(sent)
                attach(sent, of: pipe, to: producer, quiesced)
            }
        }
        startReports(now: now)
    }

    /// Emits one event when a stream of this relay has changed since the streams were described last.
    func notePipeChange(of stream: EngineStream) {
        guard pipes > 0, arePipesTold, !stream.source.isPipe else { return }
        arePipesTold = false
        emit(.event(.pipedStreamsChanged(session: name)))
    }

    // MARK: mirroring relay

    /// Makes the streams of a pipe those of the description. A stream whose name another publisher uses here is refused and counted; a later
    /// call takes it if the name is free.
    /// - Parameter sender: address that requests go to before the first packet of a track.
    /// - Returns: the tracks to send.
    func mirror(
        _ description: PipeDescription, through pipe: PublishTransport, _ sender: SocketAddress, now: MediaTime,
        _ plain: inout PlainIngress, _ inbound: inout InboundTable, _ numbers: inout IdentifierSource,
        _ quiesced: borrowing Quiesced
    ) -> [PipeTrack] {
        var moves: [(stream: EngineStream, subsession: String)] = []
        var kept: Set<String> = []
        for described in description.streams {
            guard kept.insert(described.name).inserted else {
                emit(.refused)
                continue
            }
            // Published again under the same name: the earlier stream has ended.
            if let old = stream(named: described.name), old.source.transport == pipe.id,
                old.createdAt != described.createdAt || old.isEncrypted != described.isEncrypted
            {
                endMirror(old, of: pipe, &plain, &inbound, quiesced)
            }
            let known = stream(named: described.name)
            guard known.map({ $0.source.transport == pipe.id }) ?? canAdd(described.name) else {
                emit(.refused)
                continue
            }
            let stream =
                known
                ?? EngineStream(
                    name: described.name, source: pipe.source, subsession: subsession(named: described.subsession),
                    createdAt: described.createdAt, isEncrypted: described.isEncrypted)
            let hasOtherCodec = stream.codec != described.codec
            let isChanged = hasOtherCodec || stream.silenced != described.muted
            stream.codec = described.codec
            let hasNewTracks = update(stream, described, of: pipe, sender, now: now, &plain, &inbound, quiesced)
            if known == nil {
                add(stream)
                emit(.event(.mirrored(session: name, stream: stream.name)))
            } else if isChanged {
                noteChange(of: stream)
            }
            if known == nil || hasNewTracks || hasOtherCodec {
                attachWaiting(to: stream, now: now, &numbers, besides: plain, quiesced)
            }
            if stream.subsession.name != described.subsession { moves.append((stream, described.subsession)) }
        }
        for stream in streams(of: pipe) where !kept.contains(stream.name) {
            endMirror(stream, of: pipe, &plain, &inbound, quiesced)
        }
        if !moves.isEmpty { move(moves, [], inbound, quiesced) }
        return (pipe.reception?.tracks.values.map(\.pipeTrack) ?? []).sorted { $0.number < $1.number }
    }

    private func endMirror(
        _ stream: EngineStream, of pipe: PublishTransport, _ plain: inout PlainIngress, _ inbound: inout InboundTable,
        _ quiesced: borrowing Quiesced
    ) {
        for producer in stream.producers { forget(producer, of: pipe, &plain) }
        end(stream, &inbound, quiesced)
    }

    private func canAdd(_ name: String) -> Bool {
        name != PlainTransportRequest.allStreams && reserved[name] == nil
            && streams.count + reserved.count < limits.streamsPerSession
    }

    /// Drops the packets of mirrors until the next description of their streams. Names of other streams are ignored.
    func withholdMirrors(_ names: [String], of pipe: PublishTransport, _ inbound: borrowing InboundTable) {
        for name in names {
            guard let stream = stream(named: name), stream.source.transport == pipe.id, !stream.isWithheld else {
                continue
            }
            stream.withhold()
            for producer in stream.producers {
                producer.setMuted(true)
                fallSilent(producer.tag, inbound)
            }
            noteChange(of: stream)
        }
    }

    /// Gives a mirror the tracks and mutes of the description.
    /// - Returns: whether it has new tracks.
    private func update(
        _ stream: EngineStream, _ described: PipeDescription.Stream, of pipe: PublishTransport, _ sender: SocketAddress,
        now: MediaTime, _ plain: inout PlainIngress, _ inbound: inout InboundTable, _ quiesced: borrowing Quiesced
    ) -> Bool {
        let mirrored = pipe.reception?.tracks ?? [:]
        let remaining = Set(described.tracks.compactMap { mirrored[$0.number]?.inbound })
        for producer in stream.producers where !remaining.contains(producer.tag) {
            forget(producer, of: pipe, &plain)
            remove(producer, of: stream, &inbound, quiesced)
        }
        let silenced = stream.silenced
        stream.release()
        for kind in MediaKind.allCases {
            let isMuted = described.muted.contains(kind)
            guard silenced.contains(kind) != isMuted || stream.muted.contains(kind) != isMuted else { continue }
            setMuted(isMuted, kind, of: stream, inbound, quiesced)
        }
        var hasNewTracks = false
        var encodings = 0
        for track in described.tracks {
            defer { if track.kind == .video { encodings += 1 } }
            guard mirrored[track.number] == nil, track.kind == .video || stream.audio == nil,
                let mirror = addMirror(track, described.codec, of: pipe, besides: plain)
            else { continue }
            let producer = addProducer(
                mirror.configuration, rid: track.rid.flatMap { RID($0) }, at: min(encodings, stream.encodings.count),
                to: stream, of: pipe, now: now, &inbound)
            inbound[producer.tag].pointee.noteRTP(from: sender)
            plain.add(.init(ssrc: mirror.configuration.ssrc, track: producer.tag))
            plain.add(.init(ssrc: SSRC(mirror.track.rtx), track: producer.tag, rtx: PipeFormat.rtx))
            pipe.reception?.tracks[track.number] = .init(pipeTrack: mirror.track, inbound: producer.tag)
            producer.replayLimit = track.replayLimit
            producer.setMuted(stream.muted.contains(producer.kind))
            hasNewTracks = true
        }
        return hasNewTracks
    }

    /// Returns the SSRCs and the configuration of a new mirror; nil if the track is invalid or the pipe has its maximum of tracks.
    private func addMirror(
        _ track: PipeDescription.Track, _ codec: VideoCodec?, of pipe: PublishTransport,
        besides plain: borrowing PlainIngress
    ) -> (configuration: Producer.Configuration, track: PipeTrack)? {
        guard track.payloadType < 128, track.kind == .audio || codec != nil,
            let count = pipe.reception?.tracks.count, count < PipeFormat.maximumTracks,
            let ssrc = pipe.reception?.makeSSRC(besides: plain), let rtx = pipe.reception?.makeSSRC(besides: plain)
        else {
            emit(.refused)
            return nil
        }
        let configuration = Producer.Configuration(
            kind: track.kind, codec: codec ?? .vp8, ssrc: ssrc, payloadType: PayloadType(track.payloadType),
            retransmissionBytes: limits.retransmissionBytes, followsRate: track.replayLimit < .never)
        return (configuration, PipeTrack(number: track.number, ssrc: ssrc.rawValue, rtx: rtx.rawValue))
    }

    /// Forgets the SSRCs of a mirrored track that ends.
    private func forget(_ producer: Producer, of pipe: PublishTransport, _ plain: inout PlainIngress) {
        plain.remove(track: producer.tag)
        guard let number = pipe.reception?.tracks.first(where: { $0.value.inbound == producer.tag })?.key,
            let track = pipe.reception?.tracks.removeValue(forKey: number)
        else { return }
        pipe.context.removeStream(ssrc: track.pipeTrack.ssrc)
        pipe.context.removeStream(ssrc: track.pipeTrack.rtx)
    }

    /// Ends the receiving end of a pipe with its mirrors. The streams have not ended, so there are no events.
    func endMirrors(of pipe: PublishTransport, _ inbound: inout InboundTable, _ quiesced: borrowing Quiesced) {
        let tracks = pipe.tracks
        for stream in streams(of: pipe) { end(stream, &inbound, quiesced) }
        publishers.remove(pipe.id)
        demandingPipes = max(0, demandingPipes - 1)
        emit(.publisherClosed(pipe, tracks: tracks))
    }
}
