/// Check for a run that measured the generator instead of the relay.
struct GeneratorWatch {
    /// Maximum share of a core in a thread's busiest second; a busier thread cannot keep up with bursts.
    static let busyShare = 0.8

    /// Maximum share of a second for which a thread may wait for a core; a thread that waits longer sends late regardless of its
    /// own work.
    static let waitingShare = 0.2

    private(set) var warnings: [String] = []
    private(set) var isBottleneck = false

    init(
        threads: [ThreadUsage], sent: SendStatistics, received: ReceptionStatistics, decodeDrops: UInt64,
        skippedFrames: UInt64,
        frames: UInt64
    ) {
        for thread in threads where thread.busiest > Self.busyShare {
            let share = LoadReport.number(thread.busiest * 100)
            warn(
                "the generator's thread \(thread.name) took \(share) % of a core in its busiest second",
                bottleneck: true)
        }
        if let waiting = threads.max(by: { $0.mostWaiting < $1.mostWaiting }), waiting.mostWaiting > Self.waitingShare {
            let share = LoadReport.number(waiting.mostWaiting * 100)
            warn(
                "other processes use this machine: \(waiting.name) was ready but without a core for \(share) % of its worst second",
                bottleneck: true)
        }
        if sent.late > 0 {
            let worst = LoadReport.number(Double(sent.worstLateness) / 1e6)
            // Up to 1 % of late sends is normal scheduling jitter.
            warn(
                "\(sent.late) of \(sent.due) frames and audio packets were sent more than 5 ms late (worst \(worst) ms)",
                bottleneck: sent.late * 100 > sent.due)
        }
        if sent.missed > 0 { warn("\(sent.missed) frames or audio packets were never sent", bottleneck: true) }
        if sent.refused > 0 { warn("the kernel refused \(sent.refused) of the generator's packets", bottleneck: true) }
        if received.kernelDrops > 0 {
            warn(
                "the kernel dropped \(received.kernelDrops) packets because the generator read too slowly",
                bottleneck: true)
        }
        if decodeDrops > 0 {
            warn(
                "\(decodeDrops) packets of the sample were not decoded: the decoding thread is too slow",
                bottleneck: true)
        }
        if skippedFrames > 0 {
            warn(
                "\(skippedFrames) frames were not drawn because encoding took too long",
                bottleneck: skippedFrames * 50 > frames)
        }
    }

    private mutating func warn(_ text: String, bottleneck: Bool) {
        warnings.append(text)
        if bottleneck { isBottleneck = true }
    }
}
