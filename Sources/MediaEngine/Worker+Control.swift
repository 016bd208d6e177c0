internal import CLinuxNet
internal import Forwarding
internal import MediaBase
internal import RTP
internal import SRTP

/// What control calls do, on the worker's own thread with nothing pending.
extension Worker {
    // MARK: plain transports

    func openPlain(_ request: PlainTransportRequest) throws(EngineError) -> PlainTransport {
        let existing = sessions[request.session]
        if existing == nil, request.direction == .subscribe { throw .unknownSession(request.session) }
        if existing == nil, sessions.count >= perWorker(configuration.limits.sessions) {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "sessions", limit: configuration.limits.sessions)
        }
        let session = existing ?? EngineSession(name: request.session)
        guard session.publishers.count + session.subscribers.count < configuration.limits.transportsPerSession else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "transportsPerSession", limit: configuration.limits.transportsPerSession)
        }
        let transport: PlainTransport
        switch request.direction {
        case .publish: transport = try publish(request, in: session)
        case .subscribe: transport = try subscribe(request, in: session)
        }
        sessions[request.session] = session
        return transport
    }

    private func perWorker(_ limit: Int) -> Int { max(1, limit / configuration.workers) }

    private func publish(_ request: PlainTransportRequest, in session: EngineSession) throws(EngineError)
        -> PlainTransport
    {
        guard session.streams.count < configuration.limits.streamsPerSession else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "streamsPerSession", limit: configuration.limits.streamsPerSession)
        }
        let name = request.stream ?? "stream-\(hex(8))"
        guard name != PlainTransportRequest.allStreams else {
            throw .invalidRequest(field: "stream", reason: "this name stands for every stream")
        }
        guard session.stream(named: name) == nil else { throw .streamExists(name) }
        let both = request.audio == nil && request.video == nil
        var wanted: [(MediaKind, PlainTrackRequest)] = []
        if let audio = both ? PlainTrackRequest() : request.audio { wanted.append((.audio, audio)) }
        if let video = both ? PlainTrackRequest() : request.video { wanted.append((.video, video)) }
        if wanted.count == 2, let a = wanted[0].1.ssrc, a == wanted[1].1.ssrc { throw .ssrcInUse(a) }
        var ssrcs: [SSRC] = []
        for (kind, track) in wanted {
            try checkPayloadType(track.payloadType, kind)
            let ssrc = track.ssrc.map { SSRC($0) } ?? freeSSRC()
            if inboundTable.find(ssrc) != nil { throw .ssrcInUse(ssrc.rawValue) }
            ssrcs.append(ssrc)
        }

        let now = MediaTime(rawValue: millrace_monotonic_ns())
        let clientKey = SRTPKey.random(for: request.suite)
        let relayKey = SRTPKey.random(for: request.suite)
        let transport = PublishTransport(
            id: TransportID(rawValue: hex(16)), streamName: name, rtcpMux: request.rtcpMux,
            context: IngressContext(key: clientKey),
            leg: protector.makeLeg(key: relayKey, peerKey: clientKey), localSSRC: freeSSRC(), now: now)
        let stream = EngineStream(name: name, transport: transport, createdAt: millrace_realtime_ns())
        var answer = PlainTransport(
            id: transport.id, session: session.name, stream: name, direction: .publish,
            address: configuration.advertisedAddress, rtcpMux: request.rtcpMux, suite: request.suite,
            clientKey: clientKey, relayKey: relayKey, sdp: "")
        for ((kind, track), ssrc) in zip(wanted, ssrcs) {
            let payloadType = PayloadType(track.payloadType ?? kind.defaultPayloadType)
            let producer = Producer(
                .init(
                    kind: kind, ssrc: ssrc, payloadType: payloadType,
                    retransmissionBytes: configuration.limits.retransmissionBytes), now: now)
            if kind == .audio { stream.audio = producer } else { stream.video = producer }
            session.router.add(producer)
            if kind == .audio { session.audioProducers += 1 }
            transport.tracks.append(
                addInbound(
                    InboundTrack(
                        session: .passUnretained(session), stream: .passUnretained(stream),
                        transport: .passUnretained(transport), producer: .passUnretained(producer), ssrc: ssrc,
                        kind: kind)))
            let described = PlainTrack(
                port: rtpPort, rtcpPort: request.rtcpMux ? rtpPort : rtcpPort, payloadType: payloadType.rawValue,
                ssrc: ssrc.rawValue, kind: kind)
            if kind == .audio { answer.audio = described } else { answer.video = described }
        }
        session.streams.append(stream)
        session.publishers[transport.id] = transport
        answer.sdp = PlainSessionDescription.text(for: answer)
        attachWaiting(to: stream, in: session, now: now)
        events.send(.published(session: session.name, stream: name))
        return answer
    }

    private func subscribe(_ request: PlainTransportRequest, in session: EngineSession) throws(EngineError)
        -> PlainTransport
    {
        let all = request.stream == PlainTransportRequest.allStreams
        let found = request.stream.map { name in session.streams.filter { all || $0.name == name } }
        let streams = found ?? Array(session.streams.suffix(1))
        guard all || !streams.isEmpty else { throw .unknownStream(request.stream ?? "") }
        let targets = try openTargets(request)

        let now = MediaTime(rawValue: millrace_monotonic_ns())
        let clientKey = SRTPKey.random(for: request.suite)
        let relayKey = SRTPKey.random(for: request.suite)
        let leg = protector.makeLeg(key: relayKey, peerKey: clientKey)
        var paths: [SocketAddress: Int] = [:]
        let placed = targets.map { target in
            let path =
                paths[target.address]
                ?? session.router.open(
                    EgressPath(address: target.address, leg: leg, tagLength: request.suite.tagLength))
            paths[target.address] = path
            return SubscriptionTarget(
                kind: target.kind, path: path, address: target.address, rtcpAddress: target.rtcpAddress,
                payloadType: target.payloadType, ssrc: target.ssrc)
        }
        let transport = SubscribeTransport(
            id: TransportID(rawValue: hex(16)), rtcpMux: request.rtcpMux, leg: leg, targets: placed,
            wantsAllStreams: all)
        session.subscribers[transport.id] = transport
        for address in Set(placed.map(\.rtcpAddress)) {
            subscribersByAddress[address, default: []].append((session, transport))
        }
        for stream in streams { addTracks(of: stream, to: transport, in: session) }
        for stream in streams { attach(transport, to: stream, in: session, now: now) }

        var answer = PlainTransport(
            id: transport.id, session: session.name, stream: all ? PlainTransportRequest.allStreams : streams[0].name,
            direction: .subscribe, address: request.address ?? "", rtcpMux: request.rtcpMux, suite: request.suite,
            clientKey: clientKey, relayKey: relayKey,
            sources: transport.tracks.map { PlainSource(stream: $0.streamName, kind: $0.kind, ssrc: $0.ssrc.rawValue) },
            sdp: "")
        for target in placed {
            let first = transport.tracks.first { $0.kind == target.kind }
            let described = PlainTrack(
                port: target.address.port, rtcpPort: target.rtcpAddress.port,
                payloadType: (first?.payloadType ?? target.payloadType)?.rawValue ?? target.kind.defaultPayloadType,
                ssrc: first?.ssrc.rawValue ?? 0, kind: target.kind)
            if target.kind == .audio { answer.audio = described } else { answer.video = described }
        }
        answer.sdp = PlainSessionDescription.text(for: answer)
        return answer
    }

    /// Checks where a subscriber wants its tracks; paths are not opened yet.
    private func openTargets(_ request: PlainTransportRequest) throws(EngineError) -> [SubscriptionTarget] {
        guard request.audio != nil || request.video != nil else {
            throw .invalidRequest(field: "audio, video", reason: "ask for at least one track, with its port")
        }
        let host = request.address ?? ""
        var targets: [SubscriptionTarget] = []
        for (kind, track) in [(MediaKind.audio, request.audio), (.video, request.video)] {
            guard let track else { continue }
            guard let port = track.port, port > 0, request.rtcpMux || port < 65_535 else {
                throw .invalidRequest(field: "\(kind.rawValue).port", reason: "the UDP port to send to, 1 to 65535")
            }
            try checkPayloadType(track.payloadType, kind)
            guard let address = SocketAddress(host, port: port),
                address.isIPv6 == SocketAddress(configuration.bindAddress, port: 0)?.isIPv6
            else {
                throw .addressUnusable(
                    address: host, reason: "a numeric address of the family that the relay is bound to is needed")
            }
            var rtcpAddress = address
            if !request.rtcpMux { rtcpAddress.port = port + 1 }
            targets.append(
                SubscriptionTarget(
                    kind: kind, path: -1, address: address, rtcpAddress: rtcpAddress,
                    payloadType: track.payloadType.map { PayloadType($0) }, ssrc: track.ssrc.map { SSRC($0) }))
        }
        if targets.count == 2, let ssrc = targets[0].ssrc, ssrc == targets[1].ssrc { throw .ssrcInUse(ssrc.rawValue) }
        return targets
    }

    private func checkPayloadType(_ payloadType: UInt8?, _ kind: MediaKind) throws(EngineError) {
        guard let payloadType, payloadType > 127 || (64...95).contains(payloadType) else { return }
        throw .invalidRequest(
            field: "\(kind.rawValue).payloadType",
            reason: "0 to 63 or 96 to 127; what is between reads as RTCP (RFC 5761)")
    }

    /// Gives a subscriber the tracks of a stream, up to its limit of SSRCs; what is beyond is counted.
    private func addTracks(of stream: EngineStream, to transport: SubscribeTransport, in session: EngineSession) {
        for target in transport.targets {
            guard let producer = stream.producer(target.kind),
                !transport.tracks.contains(where: { $0.streamName == stream.name && $0.kind == target.kind })
            else { continue }
            guard transport.tracks.count < configuration.limits.ssrcsPerTransport else {
                counters.refusedLimit &+= 1
                continue
            }
            let isFirst = !transport.tracks.contains { $0.kind == target.kind }
            transport.tracks.append(
                SubscribedTrack(
                    streamName: stream.name, kind: target.kind, path: target.path, rtcpAddress: target.rtcpAddress,
                    ssrc: (isFirst ? target.ssrc : nil) ?? freeSSRC(for: transport),
                    payloadType: target.payloadType ?? producer.configuration.payloadType,
                    progress: Consumer.Progress(firstSequence: UInt16.random(in: 0...UInt16.max, using: &random))))
        }
    }

    /// Subscribers that waited for a stream of this name, or for any, get its tracks.
    private func attachWaiting(to stream: EngineStream, in session: EngineSession, now: MediaTime) {
        for transport in session.subscribers.values {
            if transport.wantsAllStreams { addTracks(of: stream, to: transport, in: session) }
            attach(transport, to: stream, in: session, now: now)
        }
    }

    private func attach(
        _ transport: SubscribeTransport, to stream: EngineStream, in session: EngineSession, now: MediaTime
    ) {
        for track in transport.tracks where track.streamName == stream.name {
            guard let producer = stream.producer(track.kind) else { continue }
            var consumer = Consumer(
                path: track.path, ssrc: track.ssrc, payloadType: track.payloadType, progress: track.progress)
            if transport.paused.contains(track.kind) { consumer.state = .paused }
            if session.router.subscribe(consumer, to: producer) { requestKeyFrame(of: producer) }
        }
        if session.router.hasNewCatchUps { noteCatchingUp(session) }
        // By then something has been sent that a report can speak of.
        session.reportsAt = min(session.reportsAt, now + Self.firstReportDelay)
    }

    func closePlain(_ id: TransportID, session name: String) throws(EngineError) {
        guard let session = sessions[name] else { throw .unknownSession(name) }
        if let transport = session.subscribers.removeValue(forKey: id) {
            for path in Set(transport.targets.map(\.path)) { session.router.close(path: path) }
            for address in Set(transport.targets.map(\.rtcpAddress)) {
                subscribersByAddress[address]?.removeAll { $0.transport === transport }
                if subscribersByAddress[address]?.isEmpty == true { subscribersByAddress[address] = nil }
            }
            protector.freeLeg(transport.leg)
        } else if let transport = session.publishers[id] {
            close(transport, in: session)
        } else {
            throw .unknownTransport(id.rawValue)
        }
        if session.isEmpty { sessions[name] = nil }
    }

    func close(_ transport: PublishTransport, in session: EngineSession) {
        session.publishers[transport.id] = nil
        if let at = session.streams.firstIndex(where: { $0.transport === transport }) {
            let stream = session.streams.remove(at: at)
            for subscriber in session.subscribers.values {
                for i in subscriber.tracks.indices where subscriber.tracks[i].streamName == stream.name {
                    guard let producer = stream.producer(subscriber.tracks[i].kind) else { continue }
                    if let progress = session.router.unsubscribe(path: subscriber.tracks[i].path, from: producer) {
                        subscriber.tracks[i].progress = progress
                    }
                }
            }
            for producer in [stream.audio, stream.video].compactMap({ $0 }) {
                session.router.remove(producer)
                if producer.kind == .audio { session.audioProducers -= 1 }
            }
            for tap in stream.taps { tap.close() }
            events.send(.closed(session: session.name, stream: stream.name))
        }
        for track in transport.tracks { removeInbound(track) }
        protector.freeLeg(transport.leg)
    }

    func closeAll() {
        forwardAll()
        for session in sessions.values {
            for transport in session.publishers.values { close(transport, in: session) }
            for transport in session.subscribers.values { protector.freeLeg(transport.leg) }
        }
        sessions = [:]
        subscribersByAddress = [:]
    }

    private func addInbound(_ track: InboundTrack) -> Int {
        var index = inboundCount
        if let free = inboundFree.popLast() {
            index = free
        } else {
            if inboundCount == inboundCapacity {
                let grown = UnsafeMutablePointer<InboundTrack>.allocate(capacity: inboundCapacity * 2)
                grown.moveInitialize(from: inbound, count: inboundCount)
                inbound.deallocate()
                inbound = grown
                inboundCapacity *= 2
            }
            inboundCount += 1
        }
        (inbound + index).initialize(to: track)
        _ = inboundTable.insert(track.ssrc, index)
        return index
    }

    private func removeInbound(_ index: Int) {
        forgetRequests(of: index)
        inboundTable.remove(inbound[index].ssrc)
        inboundFree.append(index)
    }

    /// - Parameter transport: the SSRC is not one that it has or asks for, since two streams under one SSRC and key would share a keystream.
    private func freeSSRC(for transport: SubscribeTransport? = nil) -> SSRC {
        while true {
            let ssrc = SSRC(UInt32.random(in: 1...UInt32.max, using: &random))
            let isTaken = transport.map {
                $0.tracks.contains { $0.ssrc == ssrc } || $0.targets.contains { $0.ssrc == ssrc }
            }
            if isTaken != true, inboundTable.find(ssrc) == nil { return ssrc }
        }
    }

    private func hex(_ digits: Int) -> String {
        let all = Array("0123456789abcdef")
        return String((0..<digits).map { _ in all[Int.random(in: 0..<16, using: &random)] })
    }
}

extension MediaKind {
    /// What a plain transport uses unless it is told: Opus 111, VP8 96.
    var defaultPayloadType: UInt8 { self == .audio ? 111 : 96 }
}

extension PlainTrack {
    init(port: UInt16, rtcpPort: UInt16, payloadType: UInt8, ssrc: UInt32, kind: MediaKind) {
        self.init(
            port: port, rtcpPort: rtcpPort, payloadType: payloadType, ssrc: ssrc,
            codec: kind == .audio ? "opus" : "VP8",
            clockRate: kind.clockRate, channels: kind == .audio ? 2 : nil)
    }
}
