/// Tells when the generator, not the relay, is what a run measured.
struct GeneratorWatch {
    /// A thread that is busier than this in some second has no room for what comes in bursts.
    static let busyShare = 0.8

    /// A thread that waits longer than this for a core is late whatever it does.
    static let waitingShare = 0.2

    private(set) var warnings: [String] = []
    private(set) var isBottleneck = false

    init(
        threads: [ThreadUsage], sent: SendStatistics, received: ReceptionStatistics, decodeDrops: UInt64,
        skippedPictures: UInt64,
        pictures: UInt64
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
                "other work takes this machine: \(waiting.name) was ready but without a core for \(share) % of its worst second",
                bottleneck: true)
        }
        if sent.late > 0 {
            let worst = LoadReport.number(Double(sent.worstLateness) / 1e6)
            // One in a hundred is a scheduler's hiccup.
            warn(
                "\(sent.late) of \(sent.due) pictures and sound packets were sent more than 5 ms late (worst \(worst) ms)",
                bottleneck: sent.late * 100 > sent.due)
        }
        if sent.missed > 0 { warn("\(sent.missed) pictures or sound packets were never sent", bottleneck: true) }
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
        if skippedPictures > 0 {
            warn(
                "\(skippedPictures) pictures were not drawn because encoding took too long",
                bottleneck: skippedPictures * 50 > pictures)
        }
    }

    private mutating func warn(_ text: String, bottleneck: Bool) {
        warnings.append(text)
        if bottleneck { isBottleneck = true }
    }
}
