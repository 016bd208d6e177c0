import NIOConcurrencyHelpers

extension LoadRun {
    func snapshot() -> LoadSnapshot {
        let (failedJoins, present) = roster.withLockedValue { ($0.joins.failed, $0.present.count) }
        return LoadSnapshot(
            time: LoadClock.now, totals: totals, failedJoins: failedJoins, video: decoder.totals.video,
            present: present)
    }

    /// Sums over all participants so far.
    var totals: EndpointTotals {
        ([sender] + receivers).reduce(into: EndpointTotals()) { $0.add($1.totals) }
    }
}
