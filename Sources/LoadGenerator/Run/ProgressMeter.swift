/// Makes the line that is shown once a second.
struct ProgressMeter {
    private let start: Int64
    private var last: (time: Int64, packets: UInt64, bytes: UInt64)

    init(start: Int64) {
        self.start = start
        last = (start, 0, 0)
    }

    func isDue(now: Int64) -> Bool { now - last.time >= 1_000_000_000 }

    mutating func progress(_ now: LoadSnapshot, of run: LoadRun) -> LoadProgress {
        let seconds = Double(now.time - last.time) / 1e9
        // Subscribers that leave take nothing out of the sums, so both only grow.
        let packets = Double(now.received.packets - min(last.packets, now.received.packets)) / seconds
        let bytes = Double(now.received.bytes - min(last.bytes, now.received.bytes)) / seconds
        last = (now.time, now.received.packets, now.received.bytes)
        let pictures = run.decoder.totals.pictures
        return LoadProgress(
            elapsed: Double(now.time - start) / 1e9, joined: now.present, wanted: run.plan.totalSubscribers,
            packetsPerSecond: packets, kilobitsPerSecond: bytes * 8 / 1_000, lost: now.received.lost,
            latency: LoadReport.Spread(microseconds: run.decoder.takeRecentLatency()),
            countersMissed: pictures.countersMissed, freezes: pictures.freezes,
            busiestThread: run.threadUsages.max { $0.latest < $1.latest })
    }
}
