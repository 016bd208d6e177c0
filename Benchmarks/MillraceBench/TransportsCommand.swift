import ArgumentParser
import Foundation
import MediaBase
import MediaEngine
import SRTP

struct TransportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transports",
        abstract: "CPU time per forwarded packet: WebRTC and plain subscribers, interleaved.",
        discussion: """
            One publisher's video (1200-byte payloads in frames of 10, 30 a second) or audio (120 bytes, 50 a second), N \
            subscribers, one worker. webrtc: subscribers that negotiate all that a browser does, with feedback and reports. silent: the \
            same without feedback and reports, so that the difference is the cost of feedback. unmeasured: subscribers without \
            bandwidth feedback. A separate process reads the sockets of all kinds.
            """)

    @Option(help: "Numbers of subscribers, with commas.") var subscribers = "10,100,500"
    @Option(help: "Seconds of each measurement.") var seconds = 2.0
    @Option(help: "Seconds of load before each.") var warmUp = 3.0
    @Option(help: "Times that each row is measured; medians are shown.") var rounds = 3
    @Option(help: "cm, gcm or both.") var suites = "both"
    @Option(help: "video, audio or both.") var loads = "both"
    @Option(help: "First UDP port of the subscribers.") var base = 26_000
    @Flag(help: "JSON lines instead of a table.") var json = false

    struct Row: Codable {
        var load: String
        var suite: String
        var subscribers: Int
        /// Measurement with the median cost, by kind.
        var results: [String: TransportsRun.Result]
        /// Medians of the ratios to `plain` in the same round.
        var ratios: [String: Double]
        /// CPU time of the relay for one RTCP compound of a subscriber, from the difference of `webrtc` and `silent`.
        var microsecondsPerFeedback: Double
    }

    private static let kinds: [Sinks.Kind] = [.plain, .unmeasured, .silent, .webRTC]

    func run() async throws {
        let counts = try subscribers.split(separator: ",").map { text in
            guard let n = Int(text), (1...2000).contains(n) else { throw ValidationError("--subscribers: \(text)") }
            return n
        }
        if !json { print(header) }
        for suite in [SRTPSuite.aesCM128HMACSHA1_80, .aeadAES128GCM]
        where suites == "both" || (suites == "gcm") == suite.isAEAD {
            for n in counts {
                for isVideo in [true, false] where loads == "both" || (loads == "video") == isVideo {
                    let shape = Shape(
                        name: isVideo ? "video" : "audio", publishers: 1, subscribers: n, isVideo: isVideo,
                        payload: isVideo ? 1200 : 120, burst: isVideo ? 10 : 1, perSecond: isVideo ? 30 : 50)
                    try report(try await measure(shape, suite))
                }
            }
        }
    }

    private func measure(_ shape: Shape, _ suite: SRTPSuite) async throws -> Row {
        var all: [[Sinks.Kind: TransportsRun.Result]] = []
        for _ in 0..<rounds {
            var round: [Sinks.Kind: TransportsRun.Result] = [:]
            for kind in Self.kinds {
                round[kind] = try await TransportsRun.run(
                    shape, kind, suite: suite, seconds: seconds, warmUp: warmUp, base: base)
            }
            all.append(round)
        }
        var row = Row(
            load: shape.name, suite: suite.isAEAD ? "GCM" : "CM", subscribers: shape.subscribers, results: [:],
            ratios: [:], microsecondsPerFeedback: .nan)
        for kind in Self.kinds {
            row.results[kind.rawValue] = all.compactMap { $0[kind] }.middle(by: \.nanosecondsPerPacket)
            let ratios = all.compactMap { round in
                round[kind].flatMap { mine in round[.plain].map { mine.nanosecondsPerPacket / $0.nanosecondsPerPacket }
                }
            }
            row.ratios[kind.rawValue] = ratios.median
        }
        if let full = row.results["webrtc"], let silent = row.results["silent"], full.feedbackPerSecond > 0 {
            let perSecond = Double(full.packets) / seconds
            row.microsecondsPerFeedback =
                (full.nanosecondsPerPacket - silent.nanosecondsPerPacket) * perSecond / full.feedbackPerSecond / 1000
        }
        return row
    }

    private var header: String {
        """
        CPU ns a forwarded packet of the relay's process, and the median of the ratios to plain subscribers of the same round.
        suite  N     load    plain  unmeas  x plain  silent  x plain  webrtc  x plain  us/rtcp  rtcp/s  probe kB/s  pkts/send  missing
        """
    }

    private func report(_ row: Row) throws {
        if json {
            return try JSONLine.print(row)
        }
        func cost(_ kind: String) -> Double { row.results[kind]?.nanosecondsPerPacket ?? .nan }
        func ratio(_ kind: String) -> Double { row.ratios[kind] ?? .nan }
        guard let plain = row.results["plain"], let full = row.results["webrtc"] else { return }
        print(
            String(
                format:
                    "%-5@  %-4d  %-6@ %6.0f  %6.0f  %7.2f  %6.0f  %7.2f  %6.0f  %7.2f  %7.1f  %6.0f  %10.1f  %4.1f/%4.1f  %d,%d",
                row.suite as NSString, row.subscribers, row.load as NSString, plain.nanosecondsPerPacket,
                cost("unmeasured"), ratio("unmeasured"), cost("silent"), ratio("silent"), full.nanosecondsPerPacket,
                ratio("webrtc"), row.microsecondsPerFeedback, full.feedbackPerSecond, full.probesPerSecond / 1000,
                plain.packetsPerMessage, full.packetsPerMessage, plain.missing, full.missing))
        let unauthentic = row.results.filter { $0.key != "plain" }.values.reduce(0) { $0 + $1.unauthentic }
        if unauthentic > 0 { print("       \(unauthentic) packets of the first subscriber did not fit its keys") }
        fflush(nil)
    }
}
