import MediaBase

/// Relays of the cluster, as of the last answer of the store.
package struct RelayTable: Sendable {
    private struct Former: Sendable {
        let record: RelayRecord
        let until: MediaTime
    }

    private var records: [RelayID: RelayRecord] = [:]
    /// Relays that had a row within `ClusterSettings.forgetTime`: the store may have lost it while they run.
    private var former: [RelayID: Former] = [:]

    package init() {}

    package var all: [RelayRecord] { records.values.sorted { $0.identity.id < $1.identity.id } }

    package subscript(_ id: RelayID) -> RelayRecord? { records[id] }

    /// Returns the record of a relay's run if it was alive; nil if it ended, or has not been seen yet.
    package func living(_ identity: RelayIdentity) -> RelayRecord? {
        guard let record = records[identity.id], record.identity == identity, record.isAlive else { return nil }
        return record
    }

    /// Adopts an answer. Returns the runs that were alive before and are not any more.
    /// - Parameter forgetTime: relays without a row count for this time.
    mutating func replace(with new: [RelayRecord], forgetTime: MediaTime, now: MediaTime) -> [RelayIdentity] {
        let before = records.values.filter(\.isAlive).map(\.identity)
        let old = records
        records = Dictionary(new.map { ($0.identity.id, $0) }) { $1 }
        for (id, record) in old where records[id] == nil {
            former[id] = Former(record: record, until: now + forgetTime)
        }
        former = former.filter { records[$0.key] == nil && now < $0.value.until }
        return before.filter { living($0) == nil }.sorted { $0.id < $1.id }
    }

    /// Returns the relays that were heard of within `forgetTime`, other than `own`, in the order of their ids.
    func counted(forgetTime: MediaTime, other own: RelayID) -> [RelayRecord] {
        (all + former.values.map(\.record)).filter { $0.identity.id != own && $0.silence <= forgetTime }
            .sorted { $0.identity.id < $1.identity.id }
    }

    /// Returns the least loaded living relay for a new session, other than `own`: one of the region if there is one.
    /// - Parameter use: the relay's use must be below this.
    func least(loadedBelow use: Double, region: String, other own: RelayID) -> RelayRecord? {
        let candidates = records.values.filter {
            $0.isAlive && !$0.load.isDraining && $0.load.use < use && $0.identity.id != own
        }
        let near = candidates.filter { $0.description.region == region }
        return (near.isEmpty ? candidates : near).min {
            ($0.load.use, $0.identity.id.rawValue) < ($1.load.use, $1.identity.id.rawValue)
        }
    }
}
