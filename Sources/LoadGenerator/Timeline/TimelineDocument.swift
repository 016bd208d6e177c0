/// JSON file that `millrace load --timeline` writes: an object with the settings and a row for each point. Times are seconds since
/// the first subscriber joined, or milliseconds if the name says so; rates are per second.
package struct TimelineDocument: Codable, Sendable {
    package struct Row: Codable, Sendable {
        package var start: Double
        package var end: Double
        /// False during the ramp.
        package var measured: Bool
        package var connected: Int
        package var failedJoins: Int
        package var sentPacketsPerSecond: Double
        package var sentKilobitsPerSecond: Double
        package var receivedPacketsPerSecond: Double
        package var receivedKilobitsPerSecond: Double
        /// Lost packets; below 0 if more arrived late than were lost.
        package var lost: Int64
        /// Latency of the sampled subscribers; absent if they decoded no frame.
        package var latencyMilliseconds: LoadReport.Spread?
        package var framesPerSecond: Double
        package var countersMissed: UInt64
        /// Freezes that ended.
        package var freezes: UInt64
        package var frozenMilliseconds: Double
        /// Share of a core, 0...1.
        package var busiestThread: Double
    }

    /// Version of the format; incremented if a name or a unit changes.
    package var version = 1
    package var settings: LoadReport.Settings
    /// Approximate seconds per row; the last row may be shorter.
    package var secondsPerPoint: Int
    /// Reason why the run ended early; absent if it did not.
    package var failure: String?
    package var points: [Row]

    package init(_ timeline: LoadTimeline, settings: LoadReport.Settings, failure: String? = nil) {
        self.settings = settings
        secondsPerPoint = timeline.samplesPerPoint
        self.failure = failure
        points = timeline.points.map { Row($0) }
    }
}

extension TimelineDocument.Row {
    init(_ point: TimelinePoint) {
        let period = point.period
        start = Double(period.start.time) / 1e9
        end = Double(period.end.time) / 1e9
        measured = point.isMeasured
        connected = period.end.present
        failedJoins = period.end.failedJoins - period.start.failedJoins
        sentPacketsPerSecond = period.rate(\.sentPackets)
        sentKilobitsPerSecond = period.rate(\.sentBytes) * 8 / 1_000
        receivedPacketsPerSecond = period.rate(\.receivedPackets)
        receivedKilobitsPerSecond = period.rate(\.receivedBytes) * 8 / 1_000
        lost = Int64(clamping: period.end.lost) - Int64(clamping: period.start.lost)
        latencyMilliseconds = point.latency.spread
        framesPerSecond = period.rate(\.framesDecoded)
        countersMissed = period.growth(\.countersMissed)
        freezes = period.growth(\.freezes)
        frozenMilliseconds = Double(period.end.frozen - period.start.frozen) / 1e6
        busiestThread = point.busiestThread
    }
}
