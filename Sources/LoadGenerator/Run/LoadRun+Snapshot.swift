extension LoadRun {
    func snapshot() -> LoadSnapshot {
        var received = ReceptionStatistics()
        for thread in receiveThreads { received.add(thread.statistics) }
        for thread in peerReceivers { received.add(thread.totals.received) }
        return LoadSnapshot(
            time: LoadClock.now, sent: sent, received: received,
            present: roster.withLock { $0.present.count })
    }

    /// Statistics of the packets that publishers sent so far.
    var sent: SendStatistics {
        var sent = sendThread.statistics
        sent.add(peerSender.totals.sent)
        // Adds the subscribers' packets that the kernel refused; their other packets are not media.
        for thread in peerReceivers { sent.refused += thread.totals.sent.refused }
        return sent
    }

    /// Connection times and lost peer connections.
    var connections: ConnectionStatistics {
        var connections = peerSender.totals.connections
        for thread in peerReceivers { connections.add(thread.totals.connections) }
        return connections
    }

    /// Usage of the generator's own threads.
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
