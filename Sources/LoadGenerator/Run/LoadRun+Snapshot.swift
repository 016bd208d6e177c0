extension LoadRun {
    func snapshot() -> LoadSnapshot {
        var received = ReceptionStatistics()
        for thread in receiveThreads { received.add(thread.statistics) }
        return LoadSnapshot(
            time: LoadClock.now, sent: sendThread.statistics, received: received,
            present: roster.withLock { $0.present.count })
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
