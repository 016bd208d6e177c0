import Foundation

/// Progress of a run, reported once a second.
package struct LoadProgress: Sendable {
    /// Seconds since the first subscriber joined.
    package var elapsed: Double
    package var joined: Int
    package var wanted: Int
    package var packetsPerSecond: Double
    package var kilobitsPerSecond: Double
    package var lost: UInt64
    /// Latency in the last second.
    package var latency: LoadReport.Spread?
    package var countersMissed: UInt64
    package var freezes: UInt64
    /// The generator's busiest thread in the last second, and its share of a core.
    package var busiestThread: ThreadUsage?

    /// The progress as one line for a terminal.
    package var line: String {
        let time = latency.map { "  latency \(LoadReport.number($0.p50))/\(LoadReport.number($0.p99)) ms" } ?? ""
        let missed = countersMissed + freezes > 0 ? "  missed \(countersMissed)  freezes \(freezes)" : ""
        let busy = busiestThread.map { "  \($0.name) \(LoadReport.number($0.latest * 100)) %" } ?? ""
        return String(format: "%6.1f s  ", elapsed) + "\(joined)/\(wanted) joined  "
            + "\(LoadReport.number(packetsPerSecond)) packets/s  \(LoadReport.number(kilobitsPerSecond / 1_000)) Mb/s  lost \(lost)"
            + time + missed + busy
    }
}
