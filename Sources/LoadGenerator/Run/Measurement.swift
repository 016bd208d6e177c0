/// What stood where at one moment of a run.
struct LoadSnapshot: Sendable {
    /// Monotonic nanoseconds.
    let time: Int64
    let sent: SendStatistics
    let received: ReceptionStatistics
    let present: Int
}

/// The measured time of a run: what stood where at its ends.
struct Measurement: Sendable {
    let start: LoadSnapshot
    let usage: RelayUsage?
    var end: LoadSnapshot
    var endUsage: RelayUsage?

    init(start: LoadSnapshot, usage: RelayUsage?) {
        self.start = start
        self.usage = usage
        end = start
        endUsage = usage
    }

    /// Seconds.
    var duration: Double { max(1e-3, Double(end.time - start.time) / 1e9) }
}

extension LoadRun {
    func snapshot() -> LoadSnapshot {
        var received = ReceptionStatistics()
        for thread in receiveThreads { received.add(thread.statistics) }
        return LoadSnapshot(
            time: LoadClock.now, sent: sendThread.statistics, received: received, present: roster.withLock { $0.present.count })
    }

    /// The generator's own threads.
    var threadUsages: [ThreadUsage] {
        var usages = sources.map { $0.thread.usage.withLock { $0 } }
        if let sound { usages.append(sound.thread.usage.withLock { $0 }) }
        usages.append(sendThread.usage.withLock { $0 })
        usages += receiveThreads.map { $0.usage.withLock { $0 } }
        usages.append(decoder.usage.withLock { $0 })
        return usages
    }
}
