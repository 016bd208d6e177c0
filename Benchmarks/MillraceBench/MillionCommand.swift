import ArgumentParser
import Foundation
import MediaBase
import MediaEngine
import SRTP

/// Session on one worker with many publishers and thousands of plain subscribers. libsrtp2 checks the packets of one subscriber in a hundred;
/// the caller drops those of the others at the egress of the device.
struct MillionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "million",
        abstract: "One measurement of `tools/bench million`, which makes the network namespace and the filter.",
        discussion: """
            Prints a line of JSON. Ports of the checked subscribers begin at --base, those of the others follow, and nothing listens \
            at them.
            """)

    @Option(help: "Audio publishers, 50 packets a second each.") var publishers = 10
    @Option(help: "Subscribers, each of which receives all publishers.") var subscribers = 3000
    @Option(help: "One subscriber in this number is checked.") var every = 100
    @Option(help: "RTP payload bytes, on average.") var payload = 110
    @Option(help: "Maximum difference of a packet from --payload.") var variation = 50
    @Option(help: "Seconds of the measurement.") var seconds = 5.0
    @Option(help: "Seconds of load before it.") var warmUp = 2.0
    @Option(help: "cm or gcm.") var suite = "gcm"
    @Option(help: "First UDP port of the subscribers.") var base = 20_000
    @Flag(help: "Publishers send at the same moment; otherwise each at its own time within 20 ms.") var together = false

    struct Result: Codable {
        var publishers: Int
        var subscribers: Int
        var checkedSubscribers: Int
        /// Forwarded packets in the measured time, and its length.
        var packets: UInt64
        var seconds: Double
        var packetsPerSecond: Double
        /// CPU time of the worker's thread as a part of the measured time.
        var workerShare: Double
        /// Part of the measured time in which the thread could run, but other programs had its core.
        var waitingShare: Double
        /// The same of all threads of the relay.
        var relayShare: Double
        var nanosecondsPerPacket: Double
        var packetsPerSend: Double
        var delayP50Milliseconds: Double
        var delayP99Milliseconds: Double
        /// Packets of the whole run: sent by publishers times subscribers, and forwarded.
        var expected: UInt64
        var forwarded: UInt64
        var verification: VerifierReport
    }

    func run() async throws {
        let checked = (subscribers + every - 1) / every
        guard (1...400).contains(publishers), (1...40_000).contains(subscribers), every >= 1, base >= 1024,
            base + subscribers <= 65_535, payload - variation >= 1, payload + variation <= 1200, variation >= 0,
            seconds > 0, warmUp >= 0, suite == "cm" || suite == "gcm"
        else { throw ValidationError("a value is out of range") }
        let suite: SRTPSuite = self.suite == "gcm" ? .aeadAES128GCM : .aesCM128HMACSHA1_80
        var shape = Shape(
            name: "million", publishers: publishers, subscribers: subscribers, isVideo: false, payload: payload,
            burst: 1, perSecond: 50)
        shape.variation = variation
        shape.together = together
        var configuration = TransportsRun.configuration
        configuration.workers = 1
        configuration.spreadLoad = 0
        let engine = try MediaEngine(configuration: configuration)
        defer { engine.stop() }
        let verifier = try Peer("verifier", sinks: checked, base: base)
        defer { verifier.stop() }
        _ = try verifier.line()
        let peer = try Peer(sinks: 0, base: base)
        defer { peer.stop() }
        let order = try await RelayRun.openPublishers(
            shape, suite: suite, engine: engine, seconds: seconds + warmUp + 0.5)
        let keys = try await RelayRun.openSubscribers(shape, suite: suite, engine: engine, base: base) { number in
            number.isMultiple(of: every) ? number / every : checked + number - number / every - 1
        }
        try verifier.begin(
            VerifierOrder(
                suite: suite.sdesName,
                keys: stride(from: 0, to: subscribers, by: every).map { keys[$0].base64 }))
        let result = try await measure(engine, peer, verifier, order)
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }

    private func measure(
        _ engine: MediaEngine, _ peer: Peer, _ verifier: Peer, _ order: PeerOrder
    ) async throws -> Result {
        try peer.begin(order)
        try await Task.sleep(for: .seconds(warmUp))
        let worker = try ThreadTimes(named: "media-0")
        let period = try await EnginePeriod(of: engine, seconds: seconds)
        let workerAfter = try ThreadTimes(named: "media-0")
        let sent = try peer.end()
        let final = try await countersAtRest(engine)
        try verifier.begin([String]())
        let verification = try JSONDecoder().decode(VerifierReport.self, from: Data(verifier.line().utf8))
        let packets = period.count(\.packetsForwarded)
        let workerSpent = workerAfter.running - worker.running
        let wall = period.seconds * 1e9
        return Result(
            publishers: publishers, subscribers: subscribers, checkedSubscribers: (subscribers + every - 1) / every,
            packets: packets, seconds: period.seconds, packetsPerSecond: period.rate(\.packetsForwarded),
            workerShare: Double(workerSpent) / wall, waitingShare: Double(workerAfter.waiting - worker.waiting) / wall,
            relayShare: period.processShare, nanosecondsPerPacket: Double(workerSpent) / Double(max(1, packets)),
            packetsPerSend: period.packetsPerMessage,
            delayP50Milliseconds: period.counters.delay.quantile(0.5).milliseconds,
            delayP99Milliseconds: period.counters.delay.quantile(0.99).milliseconds,
            expected: UInt64(sent * subscribers), forwarded: final.packetsForwarded, verification: verification)
    }

    /// Returns the counters when the worker has forwarded what had arrived, which takes a moment after an overload.
    private func countersAtRest(_ engine: MediaEngine) async throws -> EngineCounters {
        var last = await engine.counters()
        for _ in 0..<25 {
            try await Task.sleep(for: .milliseconds(200))
            let now = await engine.counters()
            if now.packetsForwarded == last.packetsForwarded { return now }
            last = now
        }
        return last
    }
}
