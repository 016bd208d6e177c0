import ArgumentParser
import Foundation
import MediaBase
import MediaEngine
import SRTP

struct FanoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout",
        abstract: "CPU time per forwarded packet: the relay's process and the C baseline, interleaved.",
        discussion: """
            The relay takes one publisher's video (1200-byte payloads in frames of 10, 30 a second) or audio (120 bytes, 50 a \
            second) in real time, on one worker, and sends it to N subscribers, each with its own key and port. The packets of a frame \
            are sent at once, in groups of four 5 ms apart as a browser's pacer sends them, or evenly spread. The C baseline does the \
            same work in a tight loop. Ten audio publishers are measured both sending together and spread over the interval. Rows \
            named Opus have payloads of 60 to 160 bytes. With several values of --gather, --rtcp, --codec or --workers these settings take turns \
            in every round, forwards and backwards; the column "x first" has the median of the ratios to the first setting.
            """)

    @Option(help: "Numbers of subscribers, with commas.") var subscribers = "10,100,500"
    @Option(help: "Seconds of each measurement.") var seconds = 3.0
    @Option(help: "Seconds of load before each; 1 with plain subscribers, otherwise 3.") var warmUp: Double?
    @Option(help: "Times that each row is measured; medians are shown.") var rounds = 3
    @Option(help: "Directory of fanout_floor.") var floor = "Benchmarks/floor"
    @Option(help: "cm, gcm or both.") var suites = "both"
    @Option(help: "Only rows whose name contains this.") var only: String?
    @Option(help: "Frames of video a second.") var rate = 30.0
    @Option(help: "Codec of the video: vp8, h264, vp9 and av1, with commas.") var codec = "vp8"
    @Option(help: "Times at which the packets of a frame are sent: burst, pacer and even, with commas.")
    var shapes = "burst,pacer,even"
    @Option(help: "Subscribers: plain, silent (WebRTC without feedback) or webrtc (with feedback), as in transports.")
    var transport = "plain"
    @Option(
        help:
            "Time for which packets are gathered: load (the default of the relay) and fixed microseconds, with commas.")
    var gather = "load"
    @Option(help: "Socket at which RTCP of WebRTC subscribers arrives: own and shared, with commas.") var rtcp = "own"
    @Option(help: "Workers over which the subscribers of the session are spread, with commas.") var workers = "1"
    @Option(help: "First UDP port of the subscribers.") var base = 26_000
    @Flag(help: "JSON lines instead of a table.") var json = false

    struct Row: Codable {
        var shape: String
        var suite: String
        var subscribers: Int
        var gather: Int?
        var separatesRTCP: Bool
        var codec: String?
        var workers: Int
        var relay: RelayRun.Result
        var best: Double
        var portable: Double
        var conventional: Double
        /// Mode `best` at the pace of the relay.
        var bestPaced: Double
        var toBest: Double
        var toBestPaced: Double
        /// Median of the ratios to the first setting in the same round.
        var toFirst: Double
    }

    func run() async throws {
        guard let counts = try? subscribers.split(separator: ",").map({ try number($0) }), !counts.isEmpty else {
            throw ValidationError("--subscribers takes numbers with commas between")
        }
        guard let kind = Sinks.Kind(rawValue: transport), kind != .halfOpen else {
            throw ValidationError("--transport takes plain, silent or webrtc")
        }
        let variants = try FanoutVariant.list(gather: gather, rtcp: rtcp, codec: codec, workers: workers)
        let pacings = try videoPacings
        var shapes = counts.flatMap { loads(subscribers: $0, pacings) }
        if let only { shapes = shapes.filter { $0.name.contains(only) } }
        if !json { print(header) }
        for suite in [SRTPSuite.aesCM128HMACSHA1_80, .aeadAES128GCM]
        where suites == "both" || (suites == "gcm") == suite.isAEAD {
            for shape in shapes {
                let settings = shape.isVideo ? variants : variants.filter { $0.codec == variants[0].codec }
                for row in try await measure(shape, suite, kind, settings) { try report(row) }
            }
        }
    }

    private func number(_ text: Substring) throws -> Int {
        guard let n = Int(text), (1...2000).contains(n) else { throw ValidationError("\(text)") }
        return n
    }

    /// Returns a row for each variant.
    private func measure(
        _ shape: Shape, _ suite: SRTPSuite, _ kind: Sinks.Kind, _ variants: [FanoutVariant]
    ) async throws -> [Row] {
        var relay: [[RelayRun.Result]] = variants.map { _ in [] }
        var floors: [[String: Double]] = []
        var paced: [Double] = []
        let warmUp = self.warmUp ?? (kind == .plain ? 1 : 3)
        for round in 0..<rounds {
            floors.append(
                try FloorRun.run(
                    directory: floor, subscribers: shape.subscribers, payload: shape.payload,
                    burst: shape.isVideo ? 10 : 1,
                    cipher: suite.isAEAD ? "gcm" : "cm", seconds: min(2, seconds), base: base))
            paced += try FloorRun.run(
                directory: floor, subscribers: shape.subscribers, payload: shape.payload, burst: shape.isVideo ? 10 : 1,
                cipher: suite.isAEAD ? "gcm" : "cm", seconds: seconds, base: base, pace: shape.perSecond
            ).values
            // A clock rate that changes during the round must not favour the first setting.
            for i in round.isMultiple(of: 2) ? Array(variants.indices) : variants.indices.reversed() {
                var shape = shape
                shape.codec = variants[i].codec
                relay[i].append(
                    try await RelayRun.run(
                        shape, kind, suite: suite, seconds: seconds, warmUp: warmUp, base: base,
                        configuration: variants[i].configuration))
            }
        }
        func baseline(_ mode: String) -> Double { floors.compactMap { $0[mode] }.median }
        let bestPaced = paced.median
        return zip(variants, relay).compactMap { variant, results in
            guard let result = results.middle(by: \.nanosecondsPerPacket) else { return nil }
            let ratios = zip(results, relay[0]).map { $0.nanosecondsPerPacket / $1.nanosecondsPerPacket }
            return Row(
                shape: shape.name, suite: suite.isAEAD ? "GCM" : "CM", subscribers: shape.subscribers,
                gather: variant.gather, separatesRTCP: variant.separatesRTCP,
                codec: shape.isVideo ? variant.codec.rawValue : nil, workers: variant.workers, relay: result,
                best: baseline("best"),
                portable: baseline("portable"), conventional: baseline("conventional"), bestPaced: bestPaced,
                toBest: result.nanosecondsPerPacket / baseline("best"),
                toBestPaced: result.nanosecondsPerPacket / bestPaced, toFirst: ratios.median)
        }
    }

    private var header: String {
        """
        CPU ns a forwarded packet. Floor in C: best, portable, conventional in a tight loop; paced = best fed at the relay's pace.
        Delay is from arrival to the end of the send call, inside the relay; wait is the part for which packets were gathered.
        suite  N     load               codec  gather  rtcp    relay  x first   best  x best   paced  x paced  portable  conventional  pkts/send  p50 us   p99 us  wait p50  wait p99  core %  rtcp/s  lost
        """
    }

    private func report(_ row: Row) throws {
        if json {
            return try JSONLine.print(row)
        }
        let r = row.relay
        let setting = String(
            format: "%-5@  %-4d  %-17@  %-5@  %-6@  %-6@", row.suite as NSString, row.subscribers,
            row.shape as NSString,
            (row.codec ?? "") as NSString, (row.gather.map(String.init) ?? "load") as NSString,
            (row.separatesRTCP ? "own" : "shared") as NSString)
        let costs = String(
            format: " %6.0f  %7.3f %6.0f  %6.2f  %6.0f  %7.2f  %8.0f  %12.0f  %9.1f", r.nanosecondsPerPacket,
            row.toFirst,
            row.best, row.toBest, row.bestPaced, row.toBestPaced, row.portable, row.conventional, r.packetsPerMessage)
        let times = String(
            format: "  %6.0f  %7.0f  %8.0f  %8.0f  %6.1f  %6.0f  %4d", r.delayP50Microseconds, r.delayP99Microseconds,
            r.waitingP50Microseconds, r.waitingP99Microseconds, 100 * r.cpuShare, r.feedbackPerSecond,
            Int(r.expected) - Int(r.packets))
        print(setting + costs + times)
        fflush(nil)
    }
}
