import MediaBase

/// Use of a core by one worker's thread, from samples of the thread's CPU clock. The thread takes a sample in the first turn of each interval, so that
/// an idle thread wakes up for none.
struct MeasuredLoad {
    /// Period that the load is measured over.
    static let span = MediaTime.seconds(1)
    /// Shortest time between two samples.
    private static let interval = MediaTime.milliseconds(100)

    private struct Sample {
        var time: MediaTime
        var cpu: MediaTime
    }

    /// Samples in the order of their times. All but the first are younger than `span`, so that there are at most 12.
    private var samples: [Sample] = []
    /// Time from which on a sample is due. No timer waits for it.
    private(set) var nextSample = MediaTime.zero

    init() { samples.reserveCapacity(16) }

    /// Records the thread's CPU time since its start.
    mutating func sample(cpu: MediaTime, now: MediaTime) {
        samples.append(Sample(time: now, cpu: cpu))
        let begin = now - Self.span
        while samples.count > 2, samples[1].time <= begin { samples.removeFirst() }
        nextSample = now + Self.interval
    }

    /// Returns the fraction (0...1) of the last second for which the thread ran. The time since the last sample counts as idle.
    func useOfLastSecond(now: MediaTime) -> Double {
        guard let last = samples.last else { return 0 }
        let used = last.cpu - cpu(at: now - Self.span, last)
        return min(1, max(0, used.seconds / Self.span.seconds))
    }

    /// Returns the CPU time at a time in the past. Between two samples, which may be far apart on an idle thread, it grows evenly.
    private func cpu(at time: MediaTime, _ last: Sample) -> MediaTime {
        guard time < last.time, let after = samples.firstIndex(where: { $0.time > time }) else { return last.cpu }
        let next = samples[after]
        guard after > 0 else { return next.cpu }
        let before = samples[after - 1]
        let share = (time - before.time).seconds / (next.time - before.time).seconds
        return before.cpu + .seconds((next.cpu - before.cpu).seconds * share)
    }
}
