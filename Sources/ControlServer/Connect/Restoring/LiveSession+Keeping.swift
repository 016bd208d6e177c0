import Cluster
import ClusterLink
import Conference
import Logging
import MediaBase
import Signaling

/// State that survives the loss of this relay. Without a cluster, there is nothing to keep.
extension LiveSession {
    /// Notes what has changed, and saves it when it is due.
    ///
    /// - Returns: whether the rules of the session, or the state of a client, have changed.
    @discardableResult
    func noteState() -> (rules: Bool, clients: Bool) {
        // Changes are made in place: a copy of the saver would copy the states of all clients.
        guard keeping != nil, !conference.isEnded else { return (false, false) }
        let now = ControlClock.now
        var changed = (rules: false, clients: false)
        let essence = conference.essence
        if essence != keeping?.essence, let text = text(of: essence) {
            keeping?.essence = essence
            keeping?.saver.note(essence: text, now: now)
            changed.rules = true
        }
        let before = keeping?.saver.latestChange
        for (id, seat) in conference.takeChangedSeats() {
            keeping?.saver.note(seat: seat.flatMap { savedText(of: $0) }, of: id, now: now)
        }
        changed.clients = keeping?.saver.latestChange != before
        save()
        return changed
    }

    /// Waits until the store has all changes that were noted so far. If no relay reaches the store, nothing waits for it.
    ///
    /// - Returns: false if another relay may run the session, or if the store does not save the changes within `StateKeeping.waitLimit`.
    func isKept() async -> Bool {
        guard let change = keeping?.saver.latestChange else { return true }
        keeping?.saver.hurry(now: ControlClock.now)
        save()
        switch outcome(of: change) {
        case .answer: return true
        case .refuse: return false
        case .wait: break
        }
        return await withCheckedContinuation { continuation in
            let now = ControlClock.now
            keeping?.waiting.append(
                StateKeeping.Waiting(change: change, end: now + StateKeeping.waitLimit, continuation: continuation))
            keeping?.nextLook = now + StateKeeping.lookInterval
            rearm()
        }
    }

    private func outcome(of change: UInt64) -> StateSaver.Outcome {
        guard let keeping, let standing = environment.cluster?.standing else { return .answer }
        return keeping.saver.outcome(of: change, acts: standing.acts, isStoreDown: standing.isStoreDown)
    }

    /// Handles the time of `StateKeeping.deadline`.
    func keepingTimeout() {
        keeping?.nextLook = ControlClock.now + StateKeeping.lookInterval
        answerKept()
        save()
    }

    /// Saves the whole state again if the store has lost it.
    func renewState() {
        keeping?.saver.recheck(now: ControlClock.now)
        save()
    }

    /// Ends all waits, because the session ends here.
    func endKeeping() {
        guard let waiting = keeping?.waiting else { return }
        keeping = nil
        for entry in waiting { entry.continuation.resume(returning: false) }
    }

    /// Begins the next save if it is due.
    private func save() {
        defer { rearm() }
        guard let cluster = environment.cluster else { return }
        let tenure = cluster.tenure(of: id)
        guard let changes = keeping?.saver.takeSave(under: tenure, now: ControlClock.now), let tenure else {
            return answerKept()
        }
        Task { [id] in finished(await cluster.save(id, changes, under: tenure)) }
    }

    private func finished(_ result: SaveResult) {
        keeping?.saver.finished(result, now: ControlClock.now)
        answerKept()
        save()
    }

    private func answerKept() {
        guard let waiting = keeping?.waiting, !waiting.isEmpty else { return }
        let now = ControlClock.now
        let outcomes = waiting.map { entry in
            let outcome = outcome(of: entry.change)
            return outcome == .wait && entry.end <= now ? .refuse : outcome
        }
        keeping?.waiting = zip(waiting, outcomes).filter { $1 == .wait }.map(\.0)
        for (entry, outcome) in zip(waiting, outcomes) where outcome != .wait {
            entry.continuation.resume(returning: outcome == .answer)
        }
    }

    private func savedText(of seat: Seat) -> String? {
        guard let client = clients[seat.connection] else { return nil }
        return text(
            of: SavedClient(
                seat: seat, resumeKey: client.resumeKey, program: client.program, reporter: client.reporter,
                holder: client.lease.holder))
    }

    private func text(of state: some Encodable) -> String? {
        do {
            return try SavedText.encode(state)
        } catch {
            logger.error("cannot encode the session's state", metadata: ["error": "\(error)"])
            return nil
        }
    }
}
