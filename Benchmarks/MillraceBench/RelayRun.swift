import MediaBase
import MediaEngine
import SRTP

/// Shape of the load.
struct Shape {
    var name: String
    var publishers: Int
    var subscribers: Int
    var isVideo: Bool
    /// Payload bytes of each packet, on average.
    var payload: Int
    /// Maximum difference from `payload`.
    var variation = 0
    var burst: Int
    var perSecond: Double
    var together = true
    var codec = VideoCodec.vp8
    var pacing = VideoPacing.burst
}

/// The relay under one shape of load in real time: CPU time of its process per forwarded packet.
struct RelayRun {
    struct Result: Codable {
        var nanosecondsPerPacket: Double
        var packets: UInt64
        var expected: UInt64
        var delayP50Microseconds: Double
        var delayP99Microseconds: Double
        var waitingP50Microseconds: Double
        var waitingP99Microseconds: Double
        var cpuShare: Double
        var packetsPerMessage: Double
        /// RTCP compounds from subscribers per second.
        var feedbackPerSecond: Double
    }

    /// - Parameters:
    ///   - kind: kind of the subscribers. The sockets of plain ones are never read.
    ///   - warmUp: seconds in which every subscriber receives a key frame.
    static func run(
        _ shape: Shape, _ kind: Sinks.Kind, suite: SRTPSuite, seconds: Double, warmUp: Double, base: Int,
        configuration: EngineConfiguration
    ) async throws -> Result {
        let engine = try MediaEngine(configuration: configuration)
        defer { engine.stop() }
        let sinks = try Sinks(count: kind == .plain ? 0 : shape.subscribers, base: base)
        defer { sinks.stop() }
        let peer = try Peer(sinks: kind == .plain ? shape.subscribers : 0, base: base)
        defer { peer.stop() }
        let order = try await TransportsRun.open(
            shape, kind, suite: suite, engine: engine, sinks: sinks, seconds: seconds + warmUp + 0.5, base: base)
        try peer.begin(order)
        try await Task.sleep(for: .seconds(warmUp))
        let period = try await EnginePeriod(of: engine, seconds: seconds)
        let sent = try peer.end()
        try await Task.sleep(for: .milliseconds(50))
        let final = await engine.counters()
        let (delay, waiting) = (period.counters.delay, period.counters.waiting)
        return Result(
            nanosecondsPerPacket: period.processNanosecondsPerPacket, packets: final.packetsForwarded,
            expected: UInt64(sent * shape.subscribers),
            delayP50Microseconds: delay.quantile(0.5).milliseconds * 1000,
            delayP99Microseconds: delay.quantile(0.99).milliseconds * 1000,
            waitingP50Microseconds: waiting.quantile(0.5).milliseconds * 1000,
            waitingP99Microseconds: waiting.quantile(0.99).milliseconds * 1000,
            cpuShare: period.processShare, packetsPerMessage: period.packetsPerMessage,
            feedbackPerSecond: period.rate(\.rtcpReceived))
    }

    static func openPublishers(
        _ shape: Shape, suite: SRTPSuite, engine: MediaEngine, seconds: Double
    ) async throws -> PeerOrder {
        var order = PeerOrder(
            publishers: [], payload: shape.payload, variation: shape.variation, burst: shape.burst,
            perSecond: shape.perSecond, seconds: seconds, together: shape.together, pacing: shape.pacing)
        for p in 0..<shape.publishers {
            var request = PlainTransportRequest(direction: .publish, session: "bench")
            request.stream = "stream-\(p)"
            request.suite = suite
            if shape.isVideo {
                request.video = PlainTrackRequest(codec: shape.codec)
            } else {
                request.audio = PlainTrackRequest()
            }
            let transport = try await engine.openPlain(request)
            let track = (shape.isVideo ? transport.video : transport.audio)!
            order.publishers.append(
                .init(
                    ssrc: track.ssrc, payloadType: track.payloadType, port: track.port, suite: suite.sdesName,
                    key: transport.clientKey.base64, isVideo: shape.isVideo, codec: shape.codec.rawValue))
        }
        return order
    }

    /// Opens plain subscribers, each of which receives every publisher's stream on one port.
    /// - Parameter portIndex: position of a subscriber's port behind `base`.
    /// - Returns: the key that each of them gets its packets under.
    @discardableResult
    static func openSubscribers(
        _ shape: Shape, suite: SRTPSuite, engine: MediaEngine, base: Int, at portIndex: (Int) -> Int = { $0 }
    ) async throws -> [SRTPKey] {
        var keys: [SRTPKey] = []
        for s in 0..<shape.subscribers {
            var request = PlainTransportRequest(direction: .subscribe, session: "bench")
            request.stream = PlainTransportRequest.allStreams
            request.suite = suite
            request.address = "127.0.0.1"
            request.rtcpMux = true
            let track = PlainTrackRequest(port: UInt16(base + portIndex(s)))
            if shape.isVideo { request.video = track } else { request.audio = track }
            keys.append(try await engine.openPlain(request).relayKey)
        }
        return keys
    }
}
