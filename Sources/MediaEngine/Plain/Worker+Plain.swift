import CLinuxNet
import Forwarding
import MediaBase
import RTP
import SRTP
import Transport

/// Control calls of plain transports.
extension Worker {
    func openPlain(_ request: PlainTransportRequest, _ quiesced: borrowing Quiesced) throws(EngineError)
        -> PlainTransport
    {
        let existing = sessions[request.session]
        if existing == nil, request.direction == .subscribe { throw .unknownSession(request.session) }
        let session: EngineSession
        if let existing { session = existing } else { session = try newSession(request.session) }
        try admitTransport(to: session)
        let transport: PlainTransport
        switch request.direction {
        case .publish: transport = try publish(request, in: session, quiesced)
        case .subscribe: transport = try subscribe(request, in: session, quiesced)
        }
        sessions[request.session] = session
        return transport
    }

    private func publish(_ request: PlainTransportRequest, in session: EngineSession, _ quiesced: borrowing Quiesced)
        throws(EngineError)
        -> PlainTransport
    {
        let name = try admitStream(request.stream, to: session)
        let both = request.audio == nil && request.video == nil
        var wanted: [(MediaKind, PlainTrackRequest)] = []
        if let audio = both ? PlainTrackRequest() : request.audio { wanted.append((.audio, audio)) }
        if let video = both ? PlainTrackRequest() : request.video { wanted.append((.video, video)) }
        try request.checkRetransmission()
        var ssrcs: [SSRC] = []
        for (kind, track) in wanted {
            try request.checkPayloadType(track.payloadType, kind)
            if let rtx = track.rtx?.ssrc, !plain.admits(SSRC(rtx), to: session, inbound) { throw .ssrcInUse(rtx) }
            let ssrc = track.ssrc.map { SSRC($0) } ?? freeSSRC()
            guard plain.admits(ssrc, to: session, inbound) else { throw .ssrcInUse(ssrc.rawValue) }
            ssrcs.append(ssrc)
        }

        let now = time()
        let clientKey = SRTPKey.random(for: request.suite)
        let relayKey = SRTPKey.random(for: request.suite)
        let transport = PublishTransport(
            id: TransportID(rawValue: hex(16)), session: session, rtcpMux: request.rtcpMux,
            context: IngressContext(key: clientKey),
            leg: egress.protector.makeLeg(key: relayKey, peerKey: clientKey), localSSRC: freeSSRC(), now: now)
        let stream = EngineStream(
            name: name, source: transport.source, room: session.room(of: transport), createdAt: realTime())
        var answer = PlainTransport(
            id: transport.id, session: session.name, stream: name, direction: .publish,
            address: configuration.advertisedAddress, rtcpMux: request.rtcpMux, suite: request.suite,
            clientKey: clientKey, relayKey: relayKey, sdp: "")
        for ((kind, track), ssrc) in zip(wanted, ssrcs) {
            let payloadType = PayloadType(track.payloadType ?? kind.defaultPayloadType)
            let producer = addProducer(
                .init(
                    kind: kind, codec: track.codec ?? .vp8, ssrc: ssrc, payloadType: payloadType,
                    retransmissionBytes: configuration.limits.retransmissionBytes), to: stream, of: transport,
                in: session, now: now)
            plain.add(.init(ssrc: ssrc, track: producer.tag))
            var described = PlainTrack(
                port: rtpPort, rtcpPort: request.rtcpMux ? rtpPort : rtcpPort, payloadType: payloadType.rawValue,
                ssrc: ssrc.rawValue, codec: producer.codec)
            if let rtx = track.rtx {
                let named = rtx.ssrc.map { SSRC($0) } ?? freeSSRC()
                plain.add(
                    .init(ssrc: named, track: producer.tag, rtx: PayloadType(rtx.payloadType)))
                described.rtx = PlainRTX(payloadType: rtx.payloadType, ssrc: named.rawValue)
            }
            if kind == .audio { answer.audio = described } else { answer.video = described }
        }
        session.add(stream)
        session.publishers.insert(transport, transport.id)
        answer.sdp = PlainSessionDescription.text(for: answer)
        attachWaiting(to: stream, in: session, now: now, quiesced)
        events.send(.published(session: session.name, transport: transport.id, stream: name))
        return answer
    }

    private func subscribe(_ request: PlainTransportRequest, in session: EngineSession, _ quiesced: borrowing Quiesced)
        throws(EngineError)
        -> PlainTransport
    {
        let all = request.stream == PlainTransportRequest.allStreams
        // Without a name, the newest stream that the client can decode.
        let newest = session.newestStream(in: request.video?.codec.map { [$0] })
        let named = request.stream.map { name in session.streams.filter { all || $0.name == name } }
        let streams = named ?? newest.map { [$0] } ?? []
        guard all || !streams.isEmpty else { throw .unknownStream(request.stream ?? "") }
        if let wanted = request.video?.codec, request.audio == nil, !all, let codec = streams[0].codec,
            codec != wanted
        {
            throw .codecMismatch(offered: [wanted], stream: codec)
        }
        let targets = try request.targets(isIPv6: SocketAddress(configuration.bindAddress, port: 0)?.isIPv6)

        let now = time()
        let clientKey = SRTPKey.random(for: request.suite)
        let relayKey = SRTPKey.random(for: request.suite)
        let leg = egress.protector.makeLeg(key: relayKey, peerKey: clientKey)
        var paths: [SocketAddress: Int] = [:]
        let placed = targets.map { target in
            let path: Int
            if let known = paths[target.address] {
                path = known
            } else {
                var opened = EgressPath(address: target.address, leg: leg, tagLength: request.suite.tagLength)
                opened.socket = egress.socket(for: PeerAddress(target.address), .rtp)
                path = session.router.open(opened)
                paths[target.address] = path
            }
            return SubscriptionTarget(
                kind: target.kind, path: path, address: target.address, rtcpAddress: target.rtcpAddress,
                payloadType: target.payloadType, codec: target.codec, ssrc: target.ssrc, rtx: target.rtx)
        }
        let transport = SubscribeTransport(
            id: TransportID(rawValue: hex(16)), session: session, rtcpMux: request.rtcpMux, leg: leg, targets: placed,
            wantsAllStreams: all, openedAt: now)
        session.subscribers.insert(transport, transport.id)
        if request.video != nil { session.starting.append(transport) }
        for path in transport.paths { session.subscribersByPath[path] = transport }
        plain.add(transport)
        for stream in streams { addTracks(of: stream, to: transport, in: session) }
        for stream in streams { attach(transport, to: stream, in: session, now: now, quiesced) }

        var answer = PlainTransport(
            id: transport.id, session: session.name, stream: all ? PlainTransportRequest.allStreams : streams[0].name,
            direction: .subscribe, address: request.address ?? "", rtcpMux: request.rtcpMux, suite: request.suite,
            clientKey: clientKey, relayKey: relayKey,
            sources: transport.tracks.map { PlainSource(stream: $0.streamName, kind: $0.kind, ssrc: $0.ssrc.rawValue) },
            sdp: "")
        for target in placed {
            let first = transport.tracks.first { $0.kind == target.kind }
            let producer = streams.lazy.compactMap { $0.producer(target.kind) }.first
            var described = PlainTrack(
                port: target.address.port, rtcpPort: target.rtcpAddress.port,
                payloadType: (first?.payloadType ?? target.payloadType)?.rawValue ?? target.kind.defaultPayloadType,
                ssrc: first?.ssrc.rawValue ?? 0,
                codec: target.kind == .audio ? nil : target.codec ?? producer?.codec ?? .vp8)
            described.rtx = first?.rtx.map { PlainRTX(payloadType: $0.payloadType.rawValue, ssrc: $0.ssrc.rawValue) }
            if target.kind == .audio { answer.audio = described } else { answer.video = described }
        }
        answer.sdp = PlainSessionDescription.text(for: answer)
        return answer
    }

    func closePlain(_ id: TransportID, session name: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        guard let session = sessions[name] else { throw .unknownSession(name) }
        if let transport = session.subscribers[id], transport.isPlain {
            close(transport, in: session, quiesced)
        } else if let transport = session.publishers[id], transport.isPlain {
            close(transport, in: session, quiesced)
        } else {
            throw .unknownTransport(id.rawValue)
        }
        forgetIfEmpty(session)
    }
}

extension MediaKind {
    /// Payload type of a plain transport unless the request names one: Opus 111, video 96.
    var defaultPayloadType: UInt8 { self == .audio ? 111 : 96 }
}

extension PlainTrack {
    /// - Parameter codec: codec of video; nil for Opus.
    init(port: UInt16, rtcpPort: UInt16, payloadType: UInt8, ssrc: UInt32, codec: VideoCodec?) {
        self.init(
            port: port, rtcpPort: rtcpPort, payloadType: payloadType, ssrc: ssrc, codec: codec?.rawValue ?? "opus",
            clockRate: (codec == nil ? MediaKind.audio : .video).clockRate, channels: codec == nil ? 2 : nil)
    }
}
