import ArgumentParser
import Foundation
import SRTP

struct LiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "CPU time of the worker per forwarded packet, with and without a reader of live.webm.",
        discussion: """
            One publisher's video (1200-byte payloads in frames of 10, 30 a second) goes to N plain subscribers and, by turns, also to one \
            reader of the stream as WebM, as GET .../live.webm sends it. The load runs all the time; the reader comes and goes, and \
            is measured from 2 s after it was opened. Only the CPU time of the worker's thread counts, which copies each packet once and wakes \
            the live stream's thread; that thread and the reader are separate, and can delay no packet.

            Each measurement with the reader is compared with the mean of the ones before and after it, which have none, so that a clock rate \
            that changes slowly has no effect. The median of these ratios counts. Ends with 1 if it is above --limit. The fewer \
            subscribers, the larger is the reader's part of the worker's time.

            Example: millrace-bench live --subscribers 10 --rounds 9
            """)

    @Option(help: "Plain subscribers, 1 to 2000.") var subscribers = 100
    @Option(help: "Seconds of each measurement.") var seconds = 3.0
    @Option(help: "Measurements with the reader, at least 5; there is one more without.") var rounds = 5
    @Option(help: "cm or gcm.") var suite = "cm"
    @Option(help: "Maximum of the median ratio.") var limit = 1.02
    @Option(help: "First UDP port of the subscribers.") var base = 26_000
    @Flag(help: "JSON lines: one for each measurement, and one with the ratios.") var json = false

    private struct Ratios: Codable {
        var ratios: [Double]
        var medianRatio: Double
        var limit: Double
    }

    func validate() throws {
        guard ["cm", "gcm"].contains(suite) else { throw ValidationError("--suite takes cm or gcm") }
        guard (1...2000).contains(subscribers), (0.5...600).contains(seconds), (5...99).contains(rounds), limit > 0,
            (1024...63_000).contains(base)
        else {
            throw ValidationError(
                "--subscribers takes 1 to 2000, --seconds 0.5 to 600, --rounds 5 to 99, --limit more than 0, --base 1024 to 63000"
            )
        }
    }

    func run() async throws {
        let shape = Shape(
            name: "video", publishers: 1, subscribers: subscribers, isVideo: true, payload: 1200, burst: 10,
            perSecond: 30)
        let run = LiveRun(
            shape: shape, suite: suite == "gcm" ? .aeadAES128GCM : .aesCM128HMACSHA1_80, seconds: seconds, base: base)
        if !json {
            print("CPU time of the worker's thread alone; \(subscribers) subscribers, \(suite)")
            print("reader  ns/packet  worker %  packets  MB read")
            fflush(nil)
        }
        let windows = try await run.run(readers: rounds) { try report($0) }
        let costs = windows.map(\.nanosecondsPerPacket)
        let ratios = stride(from: 1, to: costs.count, by: 2).map { index in
            let without: Double = (costs[index - 1] + costs[index + 1]) / 2
            return costs[index] / without
        }
        let median = ratios.median
        if json {
            try JSONLine.print(Ratios(ratios: ratios, medianRatio: median, limit: limit))
        } else {
            print("with the reader: " + ratios.map { String(format: "%.3f", $0) }.joined(separator: ", "))
            print(String(format: "median %.3f times the CPU time without (at most %g)", median, limit))
        }
        if median > limit { throw ExitCode(1) }
    }

    private func report(_ window: LiveRun.Window) throws {
        if json {
            try JSONLine.print(window)
        } else {
            print(
                (window.hasReader ? "yes   " : "no    ")
                    + String(
                        format: "  %9.0f  %8.1f  %7d  %7.2f", window.nanosecondsPerPacket, 100 * window.workerShare,
                        Int(window.packets), Double(window.readerBytes) / 1e6))
        }
        fflush(nil)
    }
}
