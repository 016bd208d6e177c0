import Foundation

/// Meter that makes a point of the timeline, and the progress line for display, once a second.
struct ProgressMeter {
    private let start: Int64
    private var last: LoadSnapshot

    init(start: LoadSnapshot) {
        self.start = start.time
        last = start
    }

    func isDue(now: Int64) -> Bool { now - last.time >= 1_000_000_000 }

    /// Returns the point for the interval since the last call.
    mutating func point(_ now: LoadSnapshot, of run: LoadRun, isMeasured: Bool) -> TimelinePoint {
        defer { last = now }
        var point = TimelinePoint(period: Measurement(start: last, end: now))
        point.period.start.time -= start
        point.period.end.time -= start
        point.isMeasured = isMeasured
        point.latency = run.decoder.takeRecentLatency()
        point.busiestThread = run.threads.map(\.usage.latest).max() ?? 0
        return point
    }

    /// Returns the latest point as a line for a terminal.
    func line(_ point: TimelinePoint, of run: LoadRun) -> String {
        let row = TimelineDocument.Row(point)
        var line =
            String(format: "%6.1f s  ", row.end)
            + "\(row.connected)/\(run.plan.totalSubscribers) joined  \(row.receivedPacketsPerSecond.short) packets/s  "
            + "\((row.receivedKilobitsPerSecond / 1_000).short) Mb/s  lost \(last.lost)"
        if let latency = row.latencyMilliseconds {
            line += "  latency \(latency.p50.short)/\(latency.p99.short) ms"
        }
        if last.countersMissed + last.freezes > 0 {
            line += "  missed \(last.countersMissed)  freezes \(last.freezes)"
        }
        if let busiest = run.threads.map(\.usage).max(by: { $0.latest < $1.latest }) {
            line += "  \(busiest.name) \((busiest.latest * 100).short) %"
        }
        return line
    }
}
