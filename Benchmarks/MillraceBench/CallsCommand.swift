import ArgumentParser
import CallCounter
import Foundation
import MediaBase
import MediaEngine
import SRTP

struct CallsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calls",
        abstract: "Counts heap allocations, retains and locks of the worker's thread per forwarded packet.",
        discussion: """
            Reports and timers depend on the clock, packets do not: each load runs at two rates, and the cost of the additional \
            packets is shown. A packet must cost none; more than the limit exits with 1. On a busy machine dropped and late packets add \
            calls to some measurements, and a cost of each packet is in all of them: a load above the limit, or with too few packets \
            to measure, is measured up to five times, and the lowest counts are shown.
            """)

    @Option(help: "Maximum allocations, retains or locks per thousand forwarded packets.") var limit = 0.5
    @Option(help: "plain, or webrtc: negotiated as by a browser, but sending only connectivity checks.")
    var transport = "plain"
    @Option(help: "Codecs of the video: vp8, h264, vp9 and av1, with commas.") var codec = "vp8,h264,vp9,av1"
    @Option(help: "First UDP port of the subscribers.") var base = 26_000
    @Flag(help: "JSON lines.") var json = false

    /// Maximum number of measurements of one load.
    private static let measurements = 5
    /// Minimum number of additional packets of a measurement. With fewer, the calls of reports and timers hide those of the packets.
    private static let minimumPackets = 5_000.0

    private struct Counts {
        var packets: Double
        var calls: [Double]
    }

    func run() async throws {
        guard ["plain", "webrtc"].contains(transport) else {
            throw ValidationError("--transport takes plain or webrtc")
        }
        let loads = try VideoCodec.list(codec).map(Optional.some) + [nil]
        var failed = false
        for suite in [SRTPSuite.aesCM128HMACSHA1_80, .aeadAES128GCM] {
            for codec in loads {
                let load = codec.map { "video \($0.rawValue)" } ?? (transport == "plain" ? "10 audio" : "audio")
                var packets = 0.0
                var lowest = [Double](repeating: .infinity, count: 3)
                for _ in 0..<Self.measurements where lowest.contains(where: { $0 > limit }) {
                    let cost = try await cost(suite, codec)
                    guard cost.packets >= Self.minimumPackets else { continue }
                    packets = cost.packets
                    lowest = zip(lowest, cost.each).map(min)
                }
                guard packets > 0 else {
                    let wanted = Int(Self.minimumPackets)
                    throw BenchError("\(load): fewer than \(wanted) packets more at four times the rate")
                }
                report(suite, load, packets, lowest)
                if lowest.contains(where: { $0 > limit }) { failed = true }
            }
        }
        if failed { throw ExitCode(1) }
    }

    /// Returns the calls for each thousand of the packets that are forwarded in addition at four times the rate.
    /// - Parameter codec: of the video; nil: audio.
    private func cost(_ suite: SRTPSuite, _ codec: VideoCodec?) async throws -> (packets: Double, each: [Double]) {
        let slow = try await count(suite, codec, rateFactor: 1)
        let fast = try await count(suite, codec, rateFactor: 4)
        let packets = fast.packets - slow.packets
        return (packets, zip(fast.calls, slow.calls).map { max(0, $0 - $1) / max(packets, 1) * 1000 })
    }

    private func report(_ suite: SRTPSuite, _ load: String, _ packets: Double, _ each: [Double]) {
        if json {
            print(
                "{\"suite\":\"\(suite.sdesName)\",\"load\":\"\(load)\",\"packets\":\(Int(packets)),\"allocations_per_1000\":\(each[0]),"
                    + "\"retains_per_1000\":\(each[1]),\"locks_per_1000\":\(each[2])}")
        } else {
            print(
                String(
                    format:
                        "%@ %@: %.3f allocations, %.3f retains, %.3f locks per 1000 of %d additional forwarded packets",
                    suite.sdesName as NSString, load as NSString, each[0], each[1], each[2], Int(packets)))
        }
    }

    /// Counts the calls of the worker's thread in two seconds of steady load.
    private func count(_ suite: SRTPSuite, _ codec: VideoCodec?, rateFactor: Double) async throws -> Counts {
        let isVideo = codec != nil
        // A WebRTC subscriber receives one stream, and so one publisher's audio. Connectivity checks are too rare to fall into the count.
        let publishers = isVideo || transport != "plain" ? 1 : 10
        let shape = Shape(
            name: "", publishers: publishers, subscribers: 100, isVideo: isVideo, payload: isVideo ? 1200 : 120,
            burst: isVideo ? 10 : 1, perSecond: (isVideo ? 15 : publishers == 1 ? 50 : 12.5) * rateFactor,
            codec: codec ?? .vp8)
        let engine = try MediaEngine(configuration: TransportsRun.configuration)
        defer { engine.stop() }
        let kind = transport == "plain" ? Sinks.Kind.plain : .silent
        let sinks = try Sinks(count: kind == .plain ? 0 : shape.subscribers, base: base)
        defer { sinks.stop() }
        let peer = try Peer(sinks: kind == .plain ? shape.subscribers : 0, base: base)
        defer { peer.stop() }
        try peer.begin(
            try await TransportsRun.open(
                shape, kind, suite: suite, engine: engine, sinks: sinks, seconds: 6.5, base: base, consentSeconds: 20))
        // The history of packets sent to a WebRTC subscriber grows once or twice in its first seconds.
        try await Task.sleep(for: .milliseconds(3500))
        call_counter_start()
        let packets = await engine.counters().packetsForwarded
        let before = call_counter_read()
        try await Task.sleep(for: .seconds(2))
        let after = call_counter_read()
        let forwarded = await engine.counters().packetsForwarded - packets
        _ = try peer.end()
        return Counts(
            packets: Double(forwarded),
            calls: [
                Double(after.allocations - before.allocations), Double(after.retains - before.retains),
                Double(after.locks - before.locks),
            ])
    }
}
