import Foundation

/// The C baselines of Benchmarks/floor, interleaved in one process.
struct FloorRun {
    /// Returns the median CPU nanoseconds per packet by mode: `conventional`, `portable`, `best` in a tight loop; only `best` at `pace`
    /// bursts a second.
    static func run(
        directory: String, subscribers: Int, payload: Int, burst: Int, cipher: String, seconds: Double, base: Int,
        pace: Double? = nil
    ) throws -> [String: Double] {
        let process = Process()
        let output = Pipe()
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        process.executableURL = URL(fileURLWithPath: directory + "/fanout_floor")
        process.arguments = [
            "--mode", pace == nil ? "compare" : "best", "--subs", String(subscribers), "--payload", String(payload),
            "--burst", String(burst),
            "--cipher", cipher, "--seconds", String(seconds), "--base", String(base),
            "--pace", String(pace ?? 0),
        ]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        struct Line: Decodable {
            var mode: String
            var ns_median: Double
        }
        var figures: [String: Double] = [:]
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
            figures[line.mode] = line.ns_median
        }
        guard process.terminationStatus == 0, figures["best"] != nil else {
            throw BenchError("fanout_floor failed; build it with: make -C Benchmarks/floor")
        }
        return figures
    }
}
