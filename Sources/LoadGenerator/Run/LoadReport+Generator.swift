extension LoadReport.Generator {
    /// Maximum share of a core in a thread's busiest second; a busier thread cannot keep up with bursts.
    private static let busyShare = 0.8

    /// Maximum share of a second for which a thread may wait for a core; a thread that waits longer sends late regardless of its
    /// own work.
    private static let waitingShare = 0.2

    /// Adds warnings, and decides whether the run measured the generator instead of the relay.
    /// - Parameter sends: frames and audio packets that were due.
    mutating func judge(sends: UInt64, frames: UInt64) {
        for thread in threads where thread.busiest > Self.busyShare {
            let share = (thread.busiest * 100).short
            warn("the generator's thread \(thread.name) took \(share) % of a core in its busiest second")
        }
        if let waiting = threads.max(by: { $0.mostWaiting < $1.mostWaiting }), waiting.mostWaiting > Self.waitingShare {
            let share = (waiting.mostWaiting * 100).short
            warn(
                "other processes use this machine: \(waiting.name) was ready but without a core for \(share) % of its worst second"
            )
        }
        let worst = worstLatenessMilliseconds.short
        // Up to 1 % of late sends is normal scheduling jitter.
        warn(
            if: lateSends > 0,
            "\(lateSends) of \(sends) frames and audio packets were sent more than 5 ms late (worst \(worst) ms)",
            bottleneck: lateSends * 100 > sends)
        warn(if: missedSends > 0, "\(missedSends) frames or audio packets were never sent")
        warn(if: refusedSends > 0, "the kernel refused \(refusedSends) of the generator's packets")
        warn(if: kernelDrops > 0, "the kernel dropped \(kernelDrops) packets because the generator read too slowly")
        warn(
            if: decodeQueueDrops > 0,
            "\(decodeQueueDrops) packets of the sample were not decoded: the decoding thread is too slow")
        warn(
            if: skippedFrames > 0, "\(skippedFrames) frames were not drawn because encoding took too long",
            bottleneck: skippedFrames * 50 > frames)
    }

    private mutating func warn(if holds: Bool = true, _ text: String, bottleneck: Bool = true) {
        guard holds else { return }
        warnings.append(text)
        if bottleneck { isBottleneck = true }
    }
}
