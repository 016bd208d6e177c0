package import MediaBase
package import Signaling

/// Order in which the changed state of a session goes to the store, and the time at which the answers to requests that changed it may be
/// sent. The session's home relay has one, and keeps the state here as a whole, because a store that has lost its data needs all of it.
package struct StateSaver: Sendable {
    private enum Item: Hashable, Sendable {
        case essence
        case seat(ConnectionID)
    }

    private struct Queued: Sendable {
        var item: Item
        /// Number of the change that put the item into the queue.
        var number: UInt64
    }

    /// What happens to an answer that depends on saved changes.
    package enum Outcome: Hashable, Sendable {
        case answer
        case wait
        /// The request is refused as `unavailable`, because another relay may run the session, or because the store saves nothing.
        case refuse
    }

    package let settings: StateSaverSettings
    /// Number of the latest change.
    package private(set) var latestChange: UInt64 = 0
    /// Whether the store refused the latest save, because another relay runs the session or because it has lost its data.
    package private(set) var isRefused = false

    private var essence: String?
    private var seats: [ConnectionID: String]
    /// Changes that the store does not have, oldest first. A later change of the same item keeps its position.
    private var queue: [Queued] = []
    private var items: Set<Item> = []
    /// Changes of the save that is under way.
    private var sending: [Queued]?
    /// Tenure under which the store has everything that is neither queued nor sent.
    private var tenure: SessionTenure?
    /// Time of the next save of what is queued.
    private var due = MediaTime.never
    /// Whether the store did not answer the latest save, so that the next one is not hurried.
    private var isStoreAway = false

    /// - Parameters:
    ///   - stored: state that the store has, after a take-over.
    ///   - tenure: tenure under which it has that state; nil for a new session.
    package init(
        stored: StoredSession = StoredSession(), tenure: SessionTenure? = nil,
        settings: StateSaverSettings = StateSaverSettings()
    ) {
        essence = stored.essence
        seats = stored.seats
        self.tenure = tenure
        self.settings = settings
    }

    /// Notes the current rules of the session.
    package mutating func note(essence text: String, now: MediaTime) {
        guard essence != text else { return }
        essence = text
        change(.essence, now)
    }

    /// Notes the current state of a client; nil: it is gone.
    package mutating func note(seat text: String?, of id: ConnectionID, now: MediaTime) {
        guard seats[id] != text else { return }
        seats[id] = text
        change(.seat(id), now)
    }

    /// Makes the queued changes due at once, because an answer waits for them.
    package mutating func hurry(now: MediaTime) {
        if due != .never, !isStoreAway { due = min(due, now) }
    }

    /// Returns what happens to an answer that depends on all changes up to this one. A change that is answered without the store is lost only if
    /// this relay ends before the store is back.
    ///
    /// - Parameters:
    ///   - waited: time for which the answer has waited.
    ///   - acts: whether the relay may run the session's rules.
    ///   - isStoreDown: whether no relay reaches the store, so that none can take the session over.
    package func outcome(of change: UInt64, after waited: MediaTime, acts: Bool, isStoreDown: Bool) -> Outcome {
        if isSaved(change) { return .answer }
        if !acts || isRefused { return .refuse }
        if isStoreDown { return .answer }
        return waited < settings.waitLimit ? .wait : .refuse
    }

    /// Returns whether the store has all changes up to this one.
    package func isSaved(_ change: UInt64) -> Bool { change < oldestUnsaved }

    /// Whether the store has the whole state.
    package var isSaved: Bool { isSaved(latestChange) }

    /// Returns the changes of the next save if it is due. Its result comes back by `finished`.
    /// - Parameter current: nil while the relay cannot save, because the store does not know it.
    package mutating func takeSave(under current: SessionTenure?, now: MediaTime) -> SessionChanges? {
        guard sending == nil, let current = current ?? postponed(now) else { return nil }
        if current != tenure { renew(under: current, now) }
        guard due <= now else { return nil }
        guard !queue.isEmpty else {
            due = .never
            return nil
        }
        var changes = SessionChanges()
        let taken = Array(queue.prefix(settings.items))
        queue.removeFirst(taken.count)
        for next in taken {
            items.remove(next.item)
            switch next.item {
            case .essence: changes.essence = essence
            case .seat(let id): changes.seats[id] = .some(seats[id])
            }
        }
        sending = taken
        due = queue.isEmpty ? .never : now
        return changes
    }

    /// Makes the next `takeSave` compare the tenure, because the store may have lost its data.
    package mutating func recheck(now: MediaTime) { due = min(due, now) }

    /// Notes the result of the save that was taken last.
    package mutating func finished(_ result: SaveResult, now: MediaTime) {
        guard let taken = sending else { return }
        sending = nil
        switch result {
        case .saved:
            isStoreAway = false
            isRefused = false
        case .failed:
            isStoreAway = true
            putBack(taken, due: now + settings.retryTime)
        case .refused:
            isRefused = true
            putBack(taken, due: now + settings.retryTime)
        }
    }

    /// Time of the next call of `takeSave`.
    package var deadline: MediaTime { sending == nil ? due : .never }

    private var oldestUnsaved: UInt64 {
        sending?.first?.number ?? queue.first?.number ?? latestChange + 1
    }

    private mutating func change(_ item: Item, _ now: MediaTime) {
        latestChange += 1
        add(item, now + settings.batchTime)
    }

    private mutating func add(_ item: Item, _ time: MediaTime) {
        guard items.insert(item).inserted else { return }
        queue.append(Queued(item: item, number: latestChange))
        if !isRefused, !isStoreAway { due = min(due, time) } else if due == .never { due = time }
    }

    /// Queues the whole state, because the session has another tenure: the store has lost its data, or has none of this session yet. The changes of a
    /// new session are queued already, and wait for further ones.
    private mutating func renew(under current: SessionTenure, _ now: MediaTime) {
        let isNew = tenure == nil
        tenure = current
        isRefused = false
        if essence != nil { add(.essence, now) }
        for id in seats.keys.sorted(by: { $0.rawValue < $1.rawValue }) { add(.seat(id), now) }
        if !isNew, !queue.isEmpty { due = now }
    }

    private mutating func postponed(_ now: MediaTime) -> SessionTenure? {
        if due <= now {
            isStoreAway = true
            due = now + settings.retryTime
        }
        return nil
    }

    private mutating func putBack(_ taken: [Queued], due time: MediaTime) {
        // A later change of an item takes the earlier position: the next save has its latest state.
        let returned = Set(taken.map(\.item))
        queue = taken + queue.filter { !returned.contains($0.item) }
        items.formUnion(returned)
        due = time
    }
}
