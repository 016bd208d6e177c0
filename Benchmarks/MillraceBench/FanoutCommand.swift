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
            second) in real time, on one worker, and sends it to N subscribers, each with its own key and port. The C baseline does \
            the same work in a tight loop. Ten audio publishers are measured both sending together and spread over the \
            interval. Rows named Opus have payloads of 60 to 160 bytes.
            """)

    @Option(help: "Numbers of subscribers, with commas.") var subscribers = "10,100,500"
    @Option(help: "Seconds of each measurement.") var seconds = 3.0
    @Option(help: "Times that each row is measured; medians are shown.") var rounds = 3
    @Option(help: "Directory of fanout_floor.") var floor = "Benchmarks/floor"
    @Option(help: "cm, gcm or both.") var suites = "both"
    @Option(help: "Only rows whose name contains this.") var only: String?
    @Option(help: "Frames of video a second.") var rate = 30.0
    @Option(help: "Codec of the video: vp8, h264, vp9 or av1.") var codec = "vp8"
    @Option(help: "First UDP port of the subscribers.") var base = 26_000
    @Flag(help: "JSON lines instead of a table.") var json = false

    struct Row: Codable {
        var shape: String
        var suite: String
        var subscribers: Int
        var relay: RelayRun.Result
        var best: Double
        var portable: Double
        var conventional: Double
        /// Mode `best` at the pace of the relay.
        var bestPaced: Double
        var toBest: Double
        var toBestPaced: Double
    }

    func run() async throws {
        guard let counts = try? subscribers.split(separator: ",").map({ try number($0) }), !counts.isEmpty else {
            throw ValidationError("--subscribers takes numbers with commas between")
        }
        guard let codec = VideoCodec(rawValue: codec.uppercased()) else {
            throw ValidationError("--codec takes vp8, h264, vp9 or av1")
        }
        var shapes: [Shape] = []
        for n in counts {
            shapes.append(
                Shape(
                    name: "video", publishers: 1, subscribers: n, isVideo: true, payload: 1200, burst: 10,
                    perSecond: rate, codec: codec))
            shapes.append(
                Shape(
                    name: "audio", publishers: 1, subscribers: n, isVideo: false, payload: 120, burst: 1, perSecond: 50)
            )
            shapes.append(
                Shape(
                    name: "10 audio together", publishers: 10, subscribers: n, isVideo: false, payload: 120, burst: 1,
                    perSecond: 50))
            shapes.append(
                Shape(
                    name: "10 audio spread", publishers: 10, subscribers: n, isVideo: false, payload: 120, burst: 1,
                    perSecond: 50,
                    together: false))
            // More publishers to hundreds of subscribers exceed one worker.
            for publishers in n <= 100 ? [10, 30] : [10] {
                for together in [true, false] {
                    shapes.append(
                        Shape(
                            name: "\(publishers) Opus \(together ? "together" : "spread")", publishers: publishers,
                            subscribers: n, isVideo: false, payload: 110, variation: 50, burst: 1, perSecond: 50,
                            together: together))
                }
            }
        }
        if let only { shapes = shapes.filter { $0.name.contains(only) } }
        if !json { print(header) }
        for suite in [SRTPSuite.aesCM128HMACSHA1_80, .aeadAES128GCM]
        where suites == "both" || (suites == "gcm") == suite.isAEAD {
            for shape in shapes { report(try await measure(shape, suite)) }
        }
    }

    private func number(_ text: Substring) throws -> Int {
        guard let n = Int(text), (1...2000).contains(n) else { throw ValidationError("\(text)") }
        return n
    }

    private func measure(_ shape: Shape, _ suite: SRTPSuite) async throws -> Row {
        var relay: [RelayRun.Result] = []
        var floors: [[String: Double]] = []
        var paced: [Double] = []
        for _ in 0..<rounds {
            floors.append(
                try FloorRun.run(
                    directory: floor, subscribers: shape.subscribers, payload: shape.payload,
                    burst: shape.isVideo ? 10 : 1,
                    cipher: suite.isAEAD ? "gcm" : "cm", seconds: min(2, seconds), base: base))
            paced += try FloorRun.run(
                directory: floor, subscribers: shape.subscribers, payload: shape.payload, burst: shape.isVideo ? 10 : 1,
                cipher: suite.isAEAD ? "gcm" : "cm", seconds: seconds, base: base, pace: shape.perSecond
            ).values
            var configuration = EngineConfiguration()
            configuration.plainPort = 0
            configuration.bindAddress = "127.0.0.1"
            relay.append(
                try await RelayRun.run(shape, suite: suite, seconds: seconds, base: base, configuration: configuration))
        }
        relay.sort { $0.nanosecondsPerPacket < $1.nanosecondsPerPacket }
        let result = relay[relay.count / 2]
        func median(_ mode: String) -> Double {
            let values = floors.compactMap { $0[mode] }.sorted()
            return values.isEmpty ? .nan : values[values.count / 2]
        }
        paced.sort()
        let bestPaced = paced[paced.count / 2]
        return Row(
            shape: shape.name, suite: suite.isAEAD ? "GCM" : "CM", subscribers: shape.subscribers, relay: result,
            best: median("best"), portable: median("portable"), conventional: median("conventional"),
            bestPaced: bestPaced, toBest: result.nanosecondsPerPacket / median("best"),
            toBestPaced: result.nanosecondsPerPacket / bestPaced)
    }

    private var header: String {
        """
        CPU ns a forwarded packet. Floor in C: best, portable, conventional in a tight loop; paced = best fed at the relay's pace.
        Delay is from arrival to the end of the send call, inside the relay.
        suite  N     load               relay   best  x best   paced  x paced  portable  conventional  pkts/send  p50 us   p99 us  lost
        """
    }

    private func report(_ row: Row) {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            print(String(decoding: (try? encoder.encode(row)) ?? Data(), as: UTF8.self))
            return
        }
        let r = row.relay
        print(
            String(
                format: "%-5@  %-4d  %-17@ %6.0f %6.0f  %6.2f  %6.0f  %7.2f  %8.0f  %12.0f  %9.1f  %6.0f  %7.0f  %4d",
                row.suite as NSString, row.subscribers, row.shape as NSString, r.nanosecondsPerPacket, row.best,
                row.toBest,
                row.bestPaced, row.toBestPaced, row.portable, row.conventional, r.packetsPerMessage,
                r.delayP50Microseconds, r.delayP99Microseconds, Int(r.expected) - Int(r.packets)))
        fflush(nil)
    }
}
