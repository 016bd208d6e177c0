import NIOConcurrencyHelpers

extension LoadRun {
    func snapshot() -> LoadSnapshot {
        let (failedJoins, present) = roster.withLockedValue { ($0.failedJoins, $0.present.count) }
        return LoadSnapshot(
            time: LoadClock.now, sent: sent, received: receivedTotals.received, failedJoins: failedJoins,
            video: decoder.totals.video, present: present)
    }

    private var receivedTotals: EndpointTotals {
        receivers.reduce(into: EndpointTotals()) { $0.add($1.totals) }
    }

    /// Statistics of the packets that publishers sent so far.
    var sent: SendStatistics {
        var sent = sender.totals.sent
        // Adds the subscribers' packets that the kernel refused; their other packets are not media.
        sent.refused += receivedTotals.sent.refused
        return sent
    }

    /// Connection times and lost peer connections.
    var connections: ConnectionStatistics {
        var connections = sender.totals.connections
        connections.add(receivedTotals.connections)
        return connections
    }

    /// Usage of the generator's own threads.
    var threadUsages: [ThreadUsage] {
        let endpoints = ([sender] + receivers).map(\.usage)
        let all =
            videoSources.map(\.thread.usage) + [audioSource?.thread.usage].compactMap(\.self) + endpoints + [
                decoder.usage
            ]
        return all.map { $0.withLockedValue { $0 } }
    }
}
