import MediaBase

/// Meter that makes a point of the timeline, and the progress line for display, once a second.
struct ProgressMeter {
    private let start: Int64
    private var last: Sample
    private let interval: Int64 = 1_000_000_000

    /// Sums so far, including those of subscribers that have left.
    private struct Sample {
        var time: Int64
        var failedJoins = 0
        var sent = SendStatistics()
        var received = ReceptionStatistics()
        var pictures = PictureStatistics(frameInterval: .zero)
    }

    init(start: LoadSnapshot) {
        self.start = start.time
        last = Sample(time: start.time, sent: start.sent, received: start.received)
    }

    func isDue(now: Int64) -> Bool { now - last.time >= interval }

    /// Returns the point for the interval since the last call.
    mutating func point(_ now: LoadSnapshot, of run: LoadRun, isMeasured: Bool) -> TimelinePoint {
        let sample = Sample(
            time: now.time, failedJoins: run.roster.withLock { $0.failedJoins }, sent: now.sent, received: now.received,
            pictures: run.decoder.totals.pictures)
        defer { last = sample }
        var point = TimelinePoint(start: last.time - start, end: sample.time - start)
        point.isMeasured = isMeasured
        point.connected = now.present
        point.failedJoins = sample.failedJoins - last.failedJoins
        point.sentPackets = Self.grown(last.sent.packets, sample.sent.packets)
        point.sentBytes = Self.grown(last.sent.bytes, sample.sent.bytes)
        point.receivedPackets = Self.grown(last.received.packets, sample.received.packets)
        point.receivedBytes = Self.grown(last.received.bytes, sample.received.bytes)
        point.lost = Int64(clamping: sample.received.lost) - Int64(clamping: last.received.lost)
        point.framesDecoded = Self.grown(last.pictures.decoded, sample.pictures.decoded)
        point.countersMissed = Self.grown(last.pictures.countersMissed, sample.pictures.countersMissed)
        point.freezes = Self.grown(last.pictures.freezes, sample.pictures.freezes)
        point.frozen = max(0, (sample.pictures.frozen - last.pictures.frozen).rawValue)
        point.latency = run.decoder.takeRecentLatency()
        point.busiestThread = run.threadUsages.map(\.latest).max() ?? 0
        return point
    }

    /// Returns the progress line for the latest point.
    func progress(_ point: TimelinePoint, of run: LoadRun) -> LoadProgress {
        LoadProgress(
            elapsed: Double(point.end) / 1e9, joined: point.connected, wanted: run.plan.totalSubscribers,
            packetsPerSecond: Double(point.receivedPackets) / point.duration,
            kilobitsPerSecond: Double(point.receivedBytes) * 8 / 1_000 / point.duration, lost: last.received.lost,
            latency: LoadReport.Spread(microseconds: point.latency),
            countersMissed: last.pictures.countersMissed, freezes: last.pictures.freezes,
            busiestThread: run.threadUsages.max { $0.latest < $1.latest })
    }

    private static func grown(_ before: UInt64, _ after: UInt64) -> UInt64 { after - min(before, after) }
}
