import Forwarding
import MediaBase

/// Streams of a session in its parts on several workers. The home part describes them; the others apply the description and subscribe their
/// clients to mirrors of the streams, which differ from other streams only in where their packets come from.
extension EngineSession {
    /// Bytes of a mirror's packet cache at first. It grows with the bit rate.
    private static let firstCache = 512 << 10

    // MARK: home part

    /// Returns the description of the published streams.
    func replica(_ transports: WorkerTotal, _ inbound: borrowing InboundTable) -> SessionReplica {
        var copies: [StreamReplica] = []
        copies.reserveCapacity(streams.count)
        for stream in streams {
            let audio = stream.audio.map { replica(of: $0, rid: nil, inbound) }
            var video: [TrackReplica] = []
            for encoding in stream.encodings {
                video.append(replica(of: encoding.producer, rid: encoding.rid, inbound))
            }
            copies.append(
                StreamReplica(
                    name: stream.name, source: stream.source, room: stream.room.name, createdAt: stream.createdAt,
                    isEncrypted: stream.isEncrypted, codec: stream.codec, muted: stream.muted, audio: audio,
                    video: video))
        }
        return SessionReplica(streams: copies, transports: transports)
    }

    private func replica(of producer: Producer, rid: RID?, _ inbound: borrowing InboundTable) -> TrackReplica {
        TrackReplica(
            number: inbound[producer.tag].pointee.number, configuration: producer.configuration, rid: rid,
            replayLimit: producer.replayLimit, clock: producer.clock)
    }

    // MARK: other parts

    /// Makes the part's streams those of the description.
    /// - Parameters:
    ///   - subscribers: subscribers whose `room` has changed. They move together with the streams.
    ///   - reader: link that the packets of the streams come from.
    func apply(
        _ replica: SessionReplica, moving subscribers: [SubscribeTransport], _ reader: inout LinkReader,
        now: MediaTime, _ inbound: inout InboundTable, _ numbers: inout IdentifierSource,
        besides plain: borrowing PlainIngress, _ quiesced: borrowing Quiesced
    ) {
        let copies = Dictionary(replica.streams.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for stream in streams where copies[stream.name]?.source.transport != stream.source.transport {
            endMirror(stream, &reader, &inbound, quiesced)
        }
        var moves: [(stream: EngineStream, room: String)] = []
        for copy in replica.streams {
            let known = stream(named: copy.name)
            let stream =
                known
                ?? EngineStream(
                    name: copy.name, source: copy.source, room: room(named: copy.room), createdAt: copy.createdAt,
                    isEncrypted: copy.isEncrypted)
            let hasOtherCodec = stream.codec != copy.codec
            let hasNewTracks = update(stream, copy, &reader, now: now, &inbound, quiesced)
            if known == nil { add(stream) }
            if known == nil || hasNewTracks || hasOtherCodec {
                attachWaiting(to: stream, now: now, &numbers, besides: plain, quiesced)
            }
            if stream.room.name != copy.room { moves.append((stream, copy.room)) }
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
            reader.tracks[number] = nil
            remove(producer, of: stream, &inbound, quiesced)
        }
        stream.codec = copy.codec
        for kind in MediaKind.allCases where stream.muted.contains(kind) != copy.muted.contains(kind) {
            setMuted(copy.muted.contains(kind), kind, of: stream, inbound, quiesced)
        }
        var hasNewTracks = false
        for track in tracks where reader.tracks[track.number] == nil {
            var configuration = track.configuration
            configuration.requestsMissing = false
            configuration.firstRingBytes = min(configuration.ringBytes, Self.firstCache)
            let position = copy.video.firstIndex { $0.number == track.number } ?? 0
            let producer = addProducer(
                configuration, rid: track.rid, at: min(position, stream.encodings.count), to: stream, of: nil,
                mirrored: (track.number, reader.link.writer), now: now, &inbound)
            reader.tracks[track.number] = producer.tag
            producer.replayLimit = track.replayLimit
            producer.clock = track.clock
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
        for producer in stream.producers { reader.tracks[inbound[producer.tag].pointee.number] = nil }
        end(stream, &inbound, quiesced)
    }
}
