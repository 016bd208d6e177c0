import CLinuxNet
import Forwarding
import MediaBase
import RTP

/// Control calls on published streams: mute, pause, key frames, taps, statistics.
extension Worker {
    func find(_ session: String, _ stream: String) throws(EngineError) -> (EngineSession, EngineStream) {
        guard let session = sessions[session] else { throw .unknownSession(session) }
        guard let stream = session.stream(named: stream) else { throw .unknownStream(stream) }
        return (session, stream)
    }

    func setMuted(_ session: String, _ stream: String, _ kind: MediaKind, _ muted: Bool, _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        if let reserved = sessions[session]?.reserved[stream] {
            // The publisher has not connected yet: the kind starts in this state.
            sessions[session]?.reserved[stream] = muted ? reserved.union([kind]) : reserved.subtracting([kind])
            return
        }
        let (owner, found) = try find(session, stream)
        let producers = found.producers.filter { $0.kind == kind }
        // Tracks of a WebRTC publisher are known before their first packets.
        let announced =
            owner.publisher(of: found)?.sections.contains { $0.stream === found && $0.track.kind == kind } ?? false
        guard announced || !producers.isEmpty else {
            throw .invalidRequest(field: "kind", reason: "the stream has no \(kind.rawValue)")
        }
        found.setMuted(muted, kind)
        for producer in producers {
            producer.setMuted(muted)
            if muted { fallSilent(producer.tag) }
            if !muted, kind == .video { requestKeyFrame(of: producer) }
        }
        // A lost key frame has to be requested again; the next allocation does so.
        if !muted, kind == .video { allocateSoon(in: owner, now: time()) }
    }

    func setPaused(
        _ session: String, _ id: TransportID, _ kind: MediaKind, _ paused: Bool, _ quiesced: borrowing Quiesced
    ) throws(EngineError) {
        guard let session = sessions[session] else { throw .unknownSession(session) }
        guard let transport = session.subscribers[id] else { throw .unknownTransport(id.rawValue) }
        let tracks = transport.tracks.filter { $0.kind == kind }
        guard !tracks.isEmpty else {
            throw .invalidRequest(field: "kind", reason: "the transport gets no \(kind.rawValue)")
        }
        if paused { transport.paused.insert(kind) } else { transport.paused.remove(kind) }
        for track in tracks {
            guard let producer = track.producer, !track.isUnwanted, !track.isPausedByBandwidth else { continue }
            if track.setPaused(paused, of: producer, in: session.router, quiesced) { requestKeyFrame(of: producer) }
        }
        if !transport.isPlain { allocateSoon(transport, now: time()) }
    }

    func requestKeyFrame(_ session: String, _ stream: String) throws(EngineError) {
        let (_, found) = try find(session, stream)
        if let video = found.video { requestKeyFrame(of: video) }
    }

    func openTap(
        _ session: String, _ name: String, _ kinds: Set<MediaKind>, _ capacity: Int, decodes: Bool
    ) throws(EngineError) -> PacketTap {
        let (_, stream) = try find(session, name)
        guard !decodes || !stream.isEncrypted else { throw .streamEncrypted(name) }
        stream.dropClosedTaps()
        guard stream.taps.count < configuration.limits.tapsPerStream else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "tapsPerStream", limit: configuration.limits.tapsPerStream)
        }
        let tap = PacketTap(capacity: capacity, kinds: kinds, codec: stream.codec)
        if let video = stream.video, kinds.contains(.video) { replay(video, of: stream, to: tap) }
        stream.taps.append(tap)
        for producer in stream.producers { inbound[producer.tag].pointee.hasTaps = true }
        return tap
    }

    /// Replays cached video to a new tap from the newest key frame on, if the ring still holds it and all packets after it.
    private func replay(_ producer: Producer, of stream: EngineStream, to tap: PacketTap) {
        guard let start = producer.cachedKeyFrame() else { return }
        for sequence in start.pointee.sequence...producer.latestSequence {
            guard let slot = producer.core.pointee.ring.find(sequence) else { break }
            let length = Int(slot.pointee.payloadLength) - Int(slot.pointee.paddingLength)
            let payload = UnsafeRawBufferPointer(
                start: producer.core.pointee.ring.payload(of: slot.pointee), count: length)
            guard let packet = stream.replayed(TapPacket(slot.pointee, payload, of: producer), of: producer) else {
                break
            }
            if !tap.push(packet) { counters.droppedTap &+= 1 }
        }
        tap.flush()
    }

    func snapshot() -> [SessionSnapshot] {
        sessions.values.map {
            SessionSnapshot(
                name: $0.name, streams: $0.streams.count, publishers: $0.publishers.count,
                subscribers: $0.subscribers.count)
        }
    }

    func streams(_ name: String) throws(EngineError) -> [StreamSnapshot] {
        guard let session = sessions[name] else { throw .unknownSession(name) }
        let now = time()
        return session.streams.map { stream in
            StreamSnapshot(
                name: stream.name, audio: stream.audio.map { track($0, of: stream) },
                video: stream.video.map { track($0, of: stream) },
                encodings: stream.encodings.map { encoding in
                    let producer = encoding.producer
                    return EncodingSnapshot(
                        id: encoding.rid?.rawValue ?? "", isActive: producer.isActive(now: now),
                        bitrate: stream.bitrate[producer.tag] ?? Bitrate(rawValue: 0),
                        width: producer.frameSize?.width, height: producer.frameSize?.height)
                },
                codec: stream.codec,
                subscribers: session.subscribers.members.count { $0.tracks.contains { $0.streamName == stream.name } },
                taps: stream.taps.count { !$0.isClosed },
                isSpeaking: stream.audio.map { audio in
                    session.rooms.contains { $0.speakers.activeSpeaker == audio.tag }
                } ?? false,
                createdAt: stream.createdAt)
        }
    }

    private func track(_ producer: Producer, of stream: EngineStream) -> TrackSnapshot {
        TrackSnapshot(
            ssrc: producer.configuration.ssrc.rawValue, packets: producer.packets, bytes: producer.bytes,
            lost: Int64(producer.statistics.cumulativeLost), jitter: producer.statistics.jitter,
            bitrate: stream.bitrate[producer.tag] ?? Bitrate(rawValue: 0), muted: producer.isMuted,
            width: producer.frameSize?.width, height: producer.frameSize?.height)
    }

    func countersNow() -> EngineCounters {
        var result = counters
        result.workerCPU = UInt64(millrace_thread_cpu_ns())
        result.sessions = UInt64(sessions.count)
        result.tcpAcceptPauses = sockets?.tcp?.counters.acceptFailures ?? 0
        for session in sessions.values {
            result.streams += UInt64(session.streams.count)
            result.transports += UInt64(session.publishers.count + session.subscribers.count)
            for stream in session.streams { result.taps += UInt64(stream.taps.count { !$0.isClosed }) }
        }
        return result
    }
}
