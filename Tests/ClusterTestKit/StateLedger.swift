import Cluster
import MediaBase
import Signaling

/// Changes of sessions' states that were acknowledged to clients, and those that the store has.
struct StateLedger {
    private struct Acknowledged {
        let change: Int
        let time: MediaTime
        /// Whether the store had the change when it was acknowledged.
        let isStored: Bool
    }

    /// In the order in which the clients made the changes. A home relay that stalls may acknowledge a change after a later home relay has acknowledged
    /// later ones.
    private var acknowledged: [SessionID: [Acknowledged]] = [:]
    private var stored: [SessionID: [Int]] = [:]
    /// Sessions that clients have left.
    private var ended: Set<SessionID> = []
    /// Sessions whose state was deleted from the store.
    private var deleted: Set<SessionID> = []
    /// Time at which each session got its latest home relay.
    private var placed: [SessionID: (term: Int64, time: MediaTime)] = [:]
    /// Time of the last loss of data.
    private var lost = MediaTime.seconds(-100)
    /// Number of acknowledgements.
    private(set) var count = 0
    /// Number of acknowledged changes that the store did not have when the next home relay loaded the state.
    private(set) var lostCount = 0

    mutating func loseData(_ now: MediaTime) {
        stored = [:]
        lost = now
    }

    mutating func end(_ id: SessionID) { ended.insert(id) }

    /// Returns whether a home relay under a tenure must know what the store had of its session at a time: the store has not lost its data since,
    /// the session goes on, and no later home relay runs it. A relay that does not know yet of a later one may take clients, whose changes are
    /// refused.
    func isKept(_ id: SessionID, since time: MediaTime, under tenure: SessionTenure?) -> Bool {
        time > lost && !ended.contains(id) && tenure?.term == placed[id]?.term
    }

    /// Notes a request that the store has carried out. Returns a fault.
    mutating func note(_ request: StoreRequest, _ answer: StoreAnswer, _ now: MediaTime) -> String? {
        switch (request, answer) {
        case (.claim, .placed(let placement)), (.takeOver, .found(let placement?)):
            if placement.term > placed[placement.id]?.term ?? 0 { placed[placement.id] = (placement.term, now) }
        case (.end(let id, _, let term), .ended):
            // Sessions without clients end 30 s after a take-over.
            guard stored[id] != nil, let last = placed[id], last.term == term else { return nil }
            stored[id] = nil
            deleted.insert(id)
            if !ended.contains(id), now - last.time < .seconds(25) { return "the state of \(id) was deleted" }
        case (.save(let id, _, let changes), .saved):
            guard let essence = changes.essence else { return nil }
            let new = VirtualSession.changes(essence), old = stored.updateValue(new, forKey: id) ?? []
            if !new.starts(with: old) { return "a save of \(id) replaced the changes \(old) by \(new)" }
        default: break
        }
        return nil
    }

    /// Notes that a client got the answer to its change.
    /// - Parameter isSaved: whether the home relay believes that the store has it.
    /// - Returns: whether the store has it, and a fault.
    mutating func acknowledge(
        _ id: SessionID, _ change: Int, isSaved: Bool, _ now: MediaTime
    ) -> (isStored: Bool, fault: String?) {
        let isStored = stored[id]?.contains(change) ?? false
        let entry = Acknowledged(change: change, time: now, isStored: isStored)
        let index = acknowledged[id, default: []].lastIndex { $0.change < change }.map { $0 + 1 } ?? 0
        acknowledged[id, default: []].insert(entry, at: index)
        count += 1
        // The answer of a save may arrive after a loss of data, and after the end of the session at a later home relay.
        let isFault = isSaved && !isStored && now - lost > VirtualCluster.requestTime && !deleted.contains(id)
        return (isStored, isFault ? "change \(change) of \(id) is not in the store" : nil)
    }

    /// Returns a fault if acknowledged changes are missing, or have another order.
    /// - Parameter isLoaded: whether the state has just been loaded from the store: changes that it did not have are lost with the previous home relay.
    mutating func check(_ id: SessionID, _ changes: [Int], isLoaded: Bool) -> String? {
        var rest = changes[...]
        var kept: [Acknowledged] = []
        for entry in acknowledged[id] ?? [] {
            if let index = rest.firstIndex(of: entry.change) {
                rest = rest[(index + 1)...]
                kept.append(entry)
            } else if isLoaded, !changes.contains(entry.change), !entry.isStored || entry.time <= lost {
                lostCount += 1
            } else {
                return
                    "change \(entry.change) of \(id), acknowledged at \(entry.time), is missing or late in \(changes)"
            }
        }
        acknowledged[id] = kept
        return nil
    }
}
