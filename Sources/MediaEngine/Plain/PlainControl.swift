import Forwarding
import MediaBase
import RTP
import SRTP
import Transport

/// Opens plain transports: makes their keys, tracks and paths, and describes them to their clients.
struct PlainControl {
    private let advertisedAddress: String
    private let rtpPort: UInt16
    private let rtcpPort: UInt16
    /// IP family that the relay is bound to.
    private let isIPv6: Bool?

    init(_ configuration: EngineConfiguration, advertisedAddress: String, rtpPort: UInt16, rtcpPort: UInt16) {
        self.advertisedAddress = advertisedAddress
        isIPv6 = SocketAddress(configuration.bindAddress, port: 0)?.isIPv6
        self.rtpPort = rtpPort
        self.rtcpPort = rtcpPort
    }

    /// Adds a publisher or a subscriber to a session.
    func open(
        _ request: PlainTransportRequest, in session: EngineSession, at realTime: Int64, now: MediaTime,
        _ plain: inout PlainIngress, _ inbound: inout InboundTable, _ numbers: inout IdentifierSource,
        _ egress: Egress, _ counters: inout EngineCounters, _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> PlainTransport {
        switch request.direction {
        case .publish:
            try publish(
                request, in: session, at: realTime, now: now, &plain, &inbound, &numbers, egress, &counters, quiesced)
        case .subscribe: try subscribe(request, in: session, now: now, &plain, &numbers, egress, quiesced)
        }
    }

    /// Adds a publisher with one stream to a session.
    private func publish(
        _ request: PlainTransportRequest, in session: EngineSession, at realTime: Int64, now: MediaTime,
        _ plain: inout PlainIngress, _ inbound: inout InboundTable, _ numbers: inout IdentifierSource,
        _ egress: Egress, _ counters: inout EngineCounters, _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> PlainTransport {
        let name = request.stream ?? "stream-\(numbers.hex(8))"
        try session.admit([name], &counters)
        let both = request.audio == nil && request.video == nil
        var wanted: [(MediaKind, PlainTrackRequest)] = []
        if let audio = both ? PlainTrackRequest() : request.audio { wanted.append((.audio, audio)) }
        if let video = both ? PlainTrackRequest() : request.video { wanted.append((.video, video)) }
        try request.checkRetransmission()
        var ssrcs: [SSRC] = []
        for (kind, track) in wanted {
            try request.checkPayloadType(track.payloadType, kind)
            if let rtx = track.rtx?.ssrc, !plain.admits(SSRC(rtx), to: session, inbound) { throw .ssrcInUse(rtx) }
            let ssrc = track.ssrc.map { SSRC($0) } ?? numbers.ssrc(besides: plain)
            guard plain.admits(ssrc, to: session, inbound) else { throw .ssrcInUse(ssrc.rawValue) }
            ssrcs.append(ssrc)
        }

        let clientKey = SRTPKey.random(for: request.suite)
        let relayKey = SRTPKey.random(for: request.suite)
        let transport = PublishTransport(
            id: numbers.transport(), session: session, rtcpMux: request.rtcpMux,
            context: IngressContext(key: clientKey),
            egressContext: egress.protector.makeContext(key: relayKey, peerKey: clientKey),
            localSSRC: numbers.ssrc(besides: plain), now: now)
        let stream = EngineStream(
            name: name, source: transport.source, subsession: session.subsession(of: transport), createdAt: realTime)
        var answer = PlainTransport(
            id: transport.id, session: session.name, stream: name, direction: .publish,
            address: advertisedAddress, rtcpMux: request.rtcpMux, suite: request.suite,
            clientKey: clientKey, relayKey: relayKey, sdp: "")
        for ((kind, track), ssrc) in zip(wanted, ssrcs) {
            let payloadType = PayloadType(track.payloadType ?? kind.defaultPayloadType)
            let producer = session.addProducer(
                .init(
                    kind: kind, codec: track.codec ?? .vp8, ssrc: ssrc, payloadType: payloadType,
                    retransmissionBytes: session.limits.retransmissionBytes,
                    parameterSets: track.codec == .h264 ? track.parameterSets : nil), to: stream, of: transport,
                now: now,
                &inbound)
            plain.add(.init(ssrc: ssrc, track: producer.tag))
            var described = PlainTrack(
                port: rtpPort, rtcpPort: request.rtcpMux ? rtpPort : rtcpPort, payloadType: payloadType.rawValue,
                ssrc: ssrc.rawValue, codec: producer.codec)
            if let rtx = track.rtx {
                let named = rtx.ssrc.map { SSRC($0) } ?? numbers.ssrc(besides: plain)
                plain.add(.init(ssrc: named, track: producer.tag, rtx: PayloadType(rtx.payloadType)))
                described.rtx = PlainRTX(payloadType: rtx.payloadType, ssrc: named.rawValue)
            }
            if kind == .audio { answer.audio = described } else { answer.video = described }
        }
        session.add(stream)
        session.publishers.insert(transport, transport.id)
        answer.sdp = PlainSessionDescription.text(for: answer)
        session.attachWaiting(to: stream, now: now, &numbers, besides: plain, quiesced)
        session.emit(.event(.published(session: session.name, transport: transport.id, stream: name)))
        return answer
    }

    /// Adds a subscriber of one stream, or of all streams, to a session.
    private func subscribe(
        _ request: PlainTransportRequest, in session: EngineSession, now: MediaTime, _ plain: inout PlainIngress,
        _ numbers: inout IdentifierSource, _ egress: Egress, _ quiesced: borrowing Quiesced
    ) throws(EngineError) -> PlainTransport {
        let all = request.stream == PlainTransportRequest.allStreams
        let streams = try streams(for: request, in: session, all: all)
        let targets = try request.targets(isIPv6: isIPv6)

        let clientKey = SRTPKey.random(for: request.suite)
        let relayKey = SRTPKey.random(for: request.suite)
        let egressContext = egress.protector.makeContext(key: relayKey, peerKey: clientKey)
        var paths: [SocketAddress: Int] = [:]
        let placed = targets.map { target in
            let path: Int
            if let known = paths[target.address] {
                path = known
            } else {
                var opened = EgressPath(
                    address: target.address, context: egressContext, tagLength: request.suite.tagLength)
                opened.socket = egress.socket(for: PeerAddress(target.address), .rtp)
                path = session.router.open(opened)
                paths[target.address] = path
            }
            return SubscriptionTarget(
                kind: target.kind, path: path, address: target.address, rtcpAddress: target.rtcpAddress,
                payloadType: target.payloadType, codec: target.codec, ssrc: target.ssrc, rtx: target.rtx)
        }
        let transport = SubscribeTransport(
            id: numbers.transport(), session: session, rtcpMux: request.rtcpMux, egressContext: egressContext,
            targets: placed,
            wantsAllStreams: all, openedAt: now)
        session.open(transport)
        session.newPathUntil = now + GatherPolicy.newPathTime
        if request.video != nil { session.starting.append(transport) }
        plain.add(transport)
        for stream in streams { session.addTracks(of: stream, to: transport, &numbers, besides: plain) }
        for stream in streams { session.attach(transport, to: stream, now: now, quiesced) }

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

    /// Returns the requested streams; without a name, the newest stream that the client can decode.
    private func streams(
        for request: PlainTransportRequest, in session: EngineSession, all: Bool
    ) throws(EngineError) -> [EngineStream] {
        let newest = session.newestStream(in: request.video?.codec.map { [$0] })
        let named = request.stream.map { name in session.streams.filter { all || $0.name == name } }
        let streams = named ?? newest.map { [$0] } ?? []
        guard all || !streams.isEmpty else { throw .unknownStream(request.stream ?? "") }
        if let wanted = request.video?.codec, request.audio == nil, !all, let codec = streams[0].codec,
            codec != wanted
        {
            throw .codecMismatch(offered: [wanted], stream: codec)
        }
        return streams
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
