import Forwarding
import MediaBase

/// Streams of a session in its parts on several workers. The home part describes them; the others apply the description and subscribe their
/// clients to mirrors of the streams, which differ from other streams only in where their packets come from.
extension EngineSession {
    /// Bytes of a mirror's packet cache at first. It grows with the bit rate.
    private static let firstCache = 512 << 10

    // MARK: home part

    /// Adds a part on another worker, which needs a description of every stream: also frame sizes and clocks, whose changes do not change a
    /// description.
    func addPart(on worker: Int, number: UInt64, home: Int, workers: Int) {
        countTransports(in: parts.add(worker, number: number, workers: workers), of: home)
        for stream in streams { stream.replica = nil }
    }

    /// Removes a part that has ended.
    func removePart(on worker: Int, number: UInt64) { parts.remove(worker, number: number) }

    /// Sends the published streams, and moves of peers, to the other parts. Parts that did not accept the last message are not told again for
    /// a moment.
    func updateParts(through links: inout WorkerLinks, _ inbound: borrowing InboundTable, now: MediaTime) {
        guard let transports = parts.transports, now >= parts.retryAt else { return }
        parts.send(replica(transports, inbound), of: name, through: &links, now: now)
        // The others are told again with the next change, at the latest when housekeeping visits the session.
        if parts.isStale { emit(.visit) }
    }

    /// Returns the description of the published streams.
    private func replica(_ transports: WorkerTotal, _ inbound: borrowing InboundTable) -> SessionReplica {
        var copies: [StreamReplica] = []
        copies.reserveCapacity(streams.count)
        for stream in streams {
            let copy = stream.replica ?? replica(of: stream, inbound)
            stream.replica = copy
            copies.append(copy)
        }
        return SessionReplica(streams: copies, transports: transports)
    }

    private func replica(of stream: EngineStream, _ inbound: borrowing InboundTable) -> StreamReplica {
        var video: [TrackReplica] = []
        for encoding in stream.encodings { video.append(replica(of: encoding.producer, rid: encoding.rid, inbound)) }
        return StreamReplica(stream, audio: stream.audio.map { replica(of: $0, rid: nil, inbound) }, video: video)
    }

    private func replica(of producer: Producer, rid: RID?, _ inbound: borrowing InboundTable) -> TrackReplica {
        TrackReplica(
            number: inbound[producer.tag].pointee.number, configuration: producer.configuration, rid: rid,
            replayLimit: producer.replayLimit, frameSize: producer.frameSize,
            announcement: producer.announcement, clock: producer.clock)
    }

    // MARK: other parts

    /// Makes the part's streams those of the description.
    /// - Parameters:
    ///   - subscribers: subscribers whose `subsession` has changed. They move together with the streams.
    ///   - reader: link that the packets of the streams come from.
    ///   - worker: index of the part's worker.
    func apply(
        _ replica: SessionReplica, moving subscribers: [SubscribeTransport], _ reader: inout LinkReader, worker: Int,
        now: MediaTime, _ inbound: inout InboundTable, _ numbers: inout IdentifierSource,
        besides plain: borrowing PlainIngress, _ quiesced: borrowing Quiesced
    ) {
        countTransports(in: replica.transports, of: worker)
        let message = reader.messages
        var moves: [(stream: EngineStream, subsession: String)] = []
        for copy in replica.streams {
            var known = stream(named: copy.name)
            if let other = known, other.source.transport != copy.source.transport {
                endMirror(other, &reader, &inbound, quiesced)
                known = nil
            }
            known?.describedBy = message
            guard known?.replica !== copy else { continue }
            let stream =
                known
                ?? EngineStream(
                    name: copy.name, source: copy.source, subsession: subsession(named: copy.subsession),
                    createdAt: copy.createdAt,
                    isEncrypted: copy.isEncrypted)
            let hasOtherCodec = stream.codec != copy.codec
            let hasNewTracks = update(stream, copy, &reader, now: now, &inbound, quiesced)
            stream.replica = copy
            stream.describedBy = message
            if known == nil { add(stream) }
            if known == nil || hasNewTracks || hasOtherCodec {
                attachWaiting(to: stream, now: now, &numbers, besides: plain, quiesced)
            }
            if stream.subsession.name != copy.subsession { moves.append((stream, copy.subsession)) }
        }
        if streams.count > replica.streams.count {
            for stream in streams where stream.describedBy != message {
                endMirror(stream, &reader, &inbound, quiesced)
            }
        }
        if !moves.isEmpty || !subscribers.isEmpty { move(moves, subscribers, inbound, quiesced) }
    }

    /// Gives a mirror the tracks and mutes of the description.
    /// - Returns: whether it has new tracks.
    private func update(
        _ stream: EngineStream, _ copy: StreamReplica, _ reader: inout LinkReader, now: MediaTime,
        _ inbound: inout InboundTable, _ quiesced: borrowing Quiesced
    ) -> Bool {
        let tracks = copy.tracks
        for producer in stream.producers {
            let number = inbound[producer.tag].pointee.number
            guard !tracks.contains(where: { $0.number == number }) else { continue }
            reader.removeMirror(of: number)
            remove(producer, of: stream, &inbound, quiesced)
        }
        stream.codec = copy.codec
        for kind in MediaKind.allCases where stream.muted.contains(kind) != copy.muted.contains(kind) {
            setMuted(copy.muted.contains(kind), kind, of: stream, inbound, quiesced)
        }
        var hasNewTracks = false
        for track in tracks where reader.mirror(of: track.number) == nil {
            var configuration = track.configuration
            configuration.requestsMissing = false
            configuration.firstRingBytes = min(configuration.ringBytes, Self.firstCache)
            let position = copy.video.firstIndex { $0.number == track.number } ?? 0
            let producer = addProducer(
                configuration, rid: track.rid, at: min(position, stream.encodings.count), to: stream, of: nil,
                mirrored: (track.number, reader.link.writer), now: now, &inbound)
            reader.addMirror(producer.tag, of: track.number)
            producer.replayLimit = track.replayLimit
            producer.clock = track.clock
            producer.assume(frameSize: track.frameSize)
            if let announcement = track.announcement { producer.announce(announcement.rates, now: announcement.at) }
            producer.setMuted(stream.muted.contains(producer.kind))
            hasNewTracks = true
        }
        return hasNewTracks
    }

    /// Ends all mirrors, because the part ends.
    func endMirrors(_ reader: inout LinkReader, _ inbound: inout InboundTable, _ quiesced: borrowing Quiesced) {
        for stream in streams { endMirror(stream, &reader, &inbound, quiesced) }
    }

    private func endMirror(
        _ stream: EngineStream, _ reader: inout LinkReader, _ inbound: inout InboundTable,
        _ quiesced: borrowing Quiesced
    ) {
        for producer in stream.producers { reader.removeMirror(of: inbound[producer.tag].pointee.number) }
        end(stream, &inbound, quiesced)
    }
}
