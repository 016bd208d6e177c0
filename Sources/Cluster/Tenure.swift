import MediaBase

/// Right of a relay to run the rules of its sessions. It lasts as long as the lease in the store, measured by the relay's own clock from the
/// time at which the last answered heartbeat was sent; beyond that only while more than half of the cluster cannot reach the store either,
/// because then no other relay can take a session over.
struct Tenure: Sendable {
    private struct Report: Sendable {
        var reachesStore: Bool
        var at: MediaTime
    }

    /// End of the lease, less the margin.
    private(set) var end = MediaTime.zero
    /// Answers of other relays since the lease ended.
    private var reports: [RelayID: Report] = [:]

    mutating func renew(until end: MediaTime) {
        self.end = max(self.end, end)
        reports = [:]
    }

    func isHeld(_ now: MediaTime) -> Bool { now < end }

    mutating func note(_ relay: RelayID, reachesStore: Bool, now: MediaTime) {
        reports[relay] = Report(reachesStore: reachesStore, at: now)
    }

    /// Returns whether more than half of the counted relays, this one included, have said within `validity` that they do not reach the store.
    func isStoreDown(_ counted: [RelayRecord], own: RelayID, validity: MediaTime, now: MediaTime) -> Bool {
        let without = counted.filter { record in
            guard record.identity.id != own else { return true }
            guard let report = reports[record.identity.id], now - report.at <= validity else { return false }
            return !report.reachesStore
        }
        return without.count * 2 > max(counted.count, 1)
    }
}
