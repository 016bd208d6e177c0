import MediaBase
import MediaEngine
import SRTP

/// The relay with one kind of subscriber under one shape of load, in real time.
struct TransportsRun {
    struct Result: Codable {
        /// CPU time of the relay's process.
        var nanosecondsPerPacket: Double
        var packets: UInt64
        var packetsPerMessage: Double
        /// RTCP compounds from subscribers per second.
        var feedbackPerSecond: Double
        /// Bytes of padding and retransmissions for probing, per second.
        var probesPerSecond: Double
        var delayP99Microseconds: Double
        /// Published packets times subscribers, minus the packets that arrived at a socket. Negative if probes were sent.
        var missing: Int
        var unauthentic: Int
    }

    static var configuration: EngineConfiguration {
        var configuration = EngineConfiguration()
        configuration.plainPort = 0
        configuration.bindAddress = "127.0.0.1"
        configuration.webRTC.port = 0
        configuration.webRTC.tcp = false
        return configuration
    }

    static func run(
        _ shape: Shape, _ kind: Sinks.Kind, suite: SRTPSuite, seconds: Double, warmUp: Double, base: Int
    ) async throws -> Result {
        let engine = try MediaEngine(configuration: configuration)
        defer { engine.stop() }
        let sinks = try Sinks(count: shape.subscribers, base: base)
        defer { sinks.stop() }
        let peer = try Peer(sinks: 0, base: base)
        defer { peer.stop() }
        let order = try await open(
            shape, kind, suite: suite, engine: engine, sinks: sinks, seconds: seconds + warmUp + 0.5, base: base)
        try peer.begin(order)
        try await Task.sleep(for: .seconds(warmUp))
        let period = try await EnginePeriod(of: engine, seconds: seconds)
        let sent = try peer.end()
        try await Task.sleep(for: .milliseconds(100))
        let report = try sinks.report()
        return Result(
            nanosecondsPerPacket: period.processNanosecondsPerPacket, packets: period.count(\.packetsForwarded),
            packetsPerMessage: period.packetsPerMessage, feedbackPerSecond: period.rate(\.rtcpReceived),
            probesPerSecond: period.rate(\.probeBytes),
            delayP99Microseconds: period.counters.delay.quantile(0.99).milliseconds * 1000,
            missing: sent * shape.subscribers - report.packets, unauthentic: report.unauthentic)
    }

    /// Opens publishers and subscribers, and connects the subscribers.
    static func open(
        _ shape: Shape, _ kind: Sinks.Kind, suite: SRTPSuite, engine: MediaEngine, sinks: Sinks, seconds: Double,
        base: Int, consentSeconds: Double = 5
    ) async throws -> PeerOrder {
        let order = try await RelayRun.openPublishers(shape, suite: suite, engine: engine, seconds: seconds)
        if kind == .plain {
            try await RelayRun.openSubscribers(shape, suite: suite, engine: engine, base: base)
        } else {
            try await sinks.connect(
                0..<shape.subscribers, kind, to: "stream-0", session: "bench", kinds: [shape.isVideo ? .video : .audio],
                suite: suite, engine: engine, consentSeconds: consentSeconds)
        }
        return order
    }
}
