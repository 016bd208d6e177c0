import DTLS
import Forwarding
import MediaBase
import SDP
import SRTP
import Transport

/// Publish peers: one connection each, with all streams that it has offered.
extension Worker {
    /// Initial bit rate allowed to a publisher that supports REMB and no transport-wide feedback.
    private static let uplinkStart = Bitrate.kilobits(1_500)

    // MARK: calls

    func openPublisher(_ request: PublisherRequest, _ quiesced: borrowing Quiesced) throws(EngineError) -> WebRTCAnswer
    {
        try request.sections.check(configuration.videoCodecs)
        let session = try session(toOpenIn: request.session)
        try admit(request.sections.streams, to: session)
        return try publish(request.sections, as: request.peer, in: session, quiesced)
    }

    /// Creates a publish peer. The caller has admitted its streams.
    func publish(
        _ sections: [PublishedSection], as description: PeerDescription, stream: String = "",
        in session: EngineSession, _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> WebRTCAnswer {
        let agreed = try SignalledKeys.agree(to: description)
        let peer = try makePeer(
            .publish, description, credentials: freeCredentials(), keys: agreed?.keys, in: session.name, stream: stream,
            quiesced)
        peer.crypto = agreed?.answer
        peer.published = sections
        for name in sections.streams { session.reserved[name] = sections.mutedKinds(of: name) }
        sessions[session.name] = session
        return answer(of: peer, to: description)
    }

    /// Handles another offer of a publish peer: streams begin, end and change. New credentials restart ICE.
    func updatePublisher(
        _ id: TransportID, session name: String, peer description: PeerDescription, sections: [PublishedSection],
        _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> WebRTCAnswer {
        let peer = try find(id, name)
        guard peer.direction == .publish else { throw .unknownTransport(id.rawValue) }
        guard description.isSameTransport(as: peer.description) else {
            throw .invalidRequest(field: "sdp", reason: "the certificate or the keys have changed")
        }
        try sections.check(configuration.videoCodecs)
        // A peer without streams that has not connected yet does not keep its session.
        let session: EngineSession
        if let known = sessions[name] { session = known } else { session = try newSession(name) }
        let before = Set(peer.published.map(\.stream))
        let streams = sections.streams
        try admit(streams.filter { !before.contains($0) }, to: session)
        if let inbound = peer.inbound {
            replace(sections, of: inbound, now: time(), quiesced)
        } else {
            session.reserve(sections, instead: peer.published)
            sessions[name] = session
            forgetIfEmpty(session)
        }
        peer.published = sections
        if description.credentials != peer.credentials.remote {
            _ = try restartICE(id, session: name, peer: description.credentials)
        }
        return answer(of: peer, to: description)
    }

    /// Ends one stream and keeps its publisher's connection. Packets of the stream that still arrive are dropped.
    func closeStream(session name: String, stream: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        guard let session = sessions[name] else { throw .unknownSession(name) }
        if session.reserved.removeValue(forKey: stream) != nil {
            for peer in peers.all where peer.session == name && peer.inbound == nil {
                peer.published.removeAll { $0.stream == stream }
            }
            forgetIfEmpty(session)
            return
        }
        guard let found = session.stream(named: stream) else { throw .unknownStream(stream) }
        if let peer = peers[found.source.transport], let inbound = peer.inbound {
            peer.published.removeAll { $0.stream == stream }
            replace(peer.published, of: inbound, now: time(), quiesced)
        } else if let transport = session.publisher(of: found) {
            close(transport, in: session, quiesced)
            forgetIfEmpty(session)
        }
    }

    private func admit(_ streams: [String], to session: EngineSession) throws(EngineError) {
        let limit = configuration.limits.streamsPerSession
        guard session.streams.count + session.reserved.count + streams.count <= limit else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "streamsPerSession", limit: limit)
        }
        for stream in streams { _ = try admitStream(stream, to: session) }
    }

    // MARK: connected

    func beginPublishing(
        _ peer: WebRTCPeer, _ keys: DTLSKeys, _ leg: UnsafeMutablePointer<EgressLeg>, in session: EngineSession,
        now: MediaTime, _ quiesced: borrowing Quiesced
    ) {
        let inbound = PublishTransport(
            id: peer.id, session: session, room: peer.room,
            context: IngressContext(key: keys.remote, maximumStreams: configuration.limits.ssrcsPerConnection),
            leg: leg, localSSRC: freeSSRC(), maximumBindings: configuration.limits.ssrcsPerTransport,
            maximumEnded: configuration.limits.ssrcsPerConnection,
            allowed: UplinkAllowance(
                start: Self.uplinkStart, minimum: configuration.webRTC.minimumBitrate,
                maximum: configuration.webRTC.maximumBitrate), now: now)
        session.publishers.insert(inbound, peer.id)
        peer.inbound = inbound
        peer.mediaDue = now + configuration.webRTC.pathTimeout
        webRTCPublishers += 1
        // The tracks may have been muted or unmuted since the offer.
        let sections = peer.published.map { section in
            var section = section
            section.startsMuted = session.reserved[section.stream]?.contains(section.track.kind) ?? section.startsMuted
            return section
        }
        for section in sections { session.reserved[section.stream] = nil }
        replace(sections, of: inbound, now: now, quiesced)
    }

    /// Replaces the sections of a connected publisher, and its streams and tracks accordingly.
    private func replace(
        _ sections: [PublishedSection], of inbound: PublishTransport, now: MediaTime, _ quiesced: borrowing Quiesced
    ) {
        let session = inbound.session
        var streams: [String: EngineStream] = [:]
        for section in inbound.sections { streams[section.stream.name] = section.stream }
        let names = Set(sections.map(\.stream))
        for stream in session.streams(of: inbound) where !names.contains(stream.name) {
            close(stream, in: session, quiesced)
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
                    name: section.stream, source: inbound.source, room: session.room(of: inbound),
                    createdAt: realTime(), isEncrypted: section.isEncrypted)
                streams[section.stream] = stream
                fresh.append(stream)
            }
            let kind = section.track.kind
            let before = inbound.sections.firstIndex { $0.stream === stream && $0.track.kind == kind }
            // A new track, or one that returns, starts as its section says; no state of a removed track is kept.
            if before == nil { stream.setMuted(section.startsMuted, kind) }
            let isSame = before.map { Self.isSame(inbound.sections[$0].track, section.track) } ?? false
            next.append((PublishTransport.Section(track: section.track, stream: stream), isSame ? before : nil))
        }
        let kept = Set(next.compactMap(\.before))
        for (place, section) in inbound.sections.enumerated() where !kept.contains(place) {
            // Closing a stream has already removed its producers.
            guard names.contains(section.stream.name) else { continue }
            for producer in inbound.producers[place].compactMap(\.self) {
                remove(producer, of: section.stream, in: session, quiesced)
            }
        }
        inbound.replace(next)
        for stream in streams.values {
            let video = sections.first { $0.stream == stream.name && $0.track.kind == .video }
            let isChanged = stream.codec != nil && stream.codec != video?.track.videoCodec
            stream.codec = video?.track.videoCodec
            // Subscribers that do not accept the new codec are told before its first packet.
            if isChanged { attachWaiting(to: stream, in: session, now: now, quiesced) }
        }
        for stream in fresh {
            session.add(stream)
            attachWaiting(to: stream, in: session, now: now, quiesced)
            events.send(.published(session: session.name, transport: inbound.id, stream: stream.name))
        }
    }

    /// Returns whether both descriptions describe the same packets. Packets of another codec need another producer: subscribers get
    /// them under another payload type, or not at all.
    private static func isSame(_ before: TrackDescription, _ now: TrackDescription) -> Bool {
        before.mid == now.mid && before.payloadType == now.payloadType && before.videoCodec == now.videoCodec
            && before.encodings == now.encodings
    }
}
