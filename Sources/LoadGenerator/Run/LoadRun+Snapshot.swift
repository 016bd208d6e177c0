extension LoadRun {
    func snapshot() -> LoadSnapshot {
        var received = ReceptionStatistics()
        for thread in receiveThreads { received.add(thread.statistics) }
        for thread in peerReceivers { received.add(thread.totals.received) }
        return LoadSnapshot(
            time: LoadClock.now, sent: sent, received: received,
            present: roster.withLock { $0.present.count })
    }

    /// What publishers sent so far.
    var sent: SendStatistics {
        var sent = sendThread.statistics
        sent.add(peerSender.totals.sent)
        // What viewers' packets met with; all else of theirs is no media.
        for thread in peerReceivers { sent.refused += thread.totals.sent.refused }
        return sent
    }

    /// How peer connections were made and lost.
    var connections: ConnectionStatistics {
        var connections = peerSender.totals.connections
        for thread in peerReceivers { connections.add(thread.totals.connections) }
        return connections
    }

    /// The generator's own threads.
    var threadUsages: [ThreadUsage] {
        var usages = sources.map { $0.thread.usage.withLock { $0 } }
        if let sound { usages.append(sound.thread.usage.withLock { $0 }) }
        switch doors {
        case .plain: usages += [sendThread.usage.withLock { $0 }] + receiveThreads.map { $0.usage.withLock { $0 } }
        case .webRTC: usages += ([peerSender] + peerReceivers).map { $0.usage.withLock { $0 } }
        }
        usages.append(decoder.usage.withLock { $0 })
        return usages
    }
}
