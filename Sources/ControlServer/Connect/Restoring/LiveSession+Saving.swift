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
        guard saving != nil, !conference.isEnded else { return (false, false) }
        let now = ControlClock.now
        var changed = (rules: false, clients: false)
        let essence = conference.essence
        if essence != saving?.essence, let text = text(of: essence) {
            saving?.essence = essence
            saving?.saver.note(essence: text, now: now)
            changed.rules = true
        }
        let before = saving?.saver.latestChange
        for (id, seat) in conference.takeChangedSeats() {
            saving?.saver.note(seat: seat.flatMap { savedText(of: $0) }, of: id, now: now)
        }
        changed.clients = saving?.saver.latestChange != before
        save()
        return changed
    }

    /// Waits until the store has all changes that were noted so far. If no relay reaches the store, nothing waits for it.
    ///
    /// - Returns: false if another relay may run the session, or if the store does not save the changes in time.
    func isSaved() async -> Bool {
        guard let change = saving?.saver.latestChange else { return true }
        saving?.saver.hurry(now: ControlClock.now)
        save()
        let now = ControlClock.now
        switch outcome(of: change, since: now) {
        case .answer: return true
        case .refuse: return false
        case .wait: break
        }
        return await withCheckedContinuation { continuation in
            saving?.waiting.append(StateSaving.Waiting(change: change, begin: now, continuation: continuation))
            saving?.nextLook = now + StateSaving.lookInterval
            rearm()
        }
    }

    private func outcome(of change: UInt64, since begin: MediaTime) -> StateSaver.Outcome {
        guard let saving, let standing = environment.cluster?.standing else { return .answer }
        return saving.saver.outcome(
            of: change, after: ControlClock.now - begin, acts: standing.acts, isStoreDown: standing.isStoreDown)
    }

    /// Handles the time of `StateSaving.deadline`.
    func savingTimeout() {
        saving?.nextLook = ControlClock.now + StateSaving.lookInterval
        answerWaiting()
        save()
    }

    /// Saves the whole state again if the store has lost it.
    func renewState() {
        saving?.saver.recheck(now: ControlClock.now)
        save()
    }

    /// Ends all waits, because the session ends here.
    func endSaving() {
        guard let waiting = saving?.waiting else { return }
        saving = nil
        for entry in waiting { entry.continuation.resume(returning: false) }
    }

    /// Begins the next save if it is due.
    private func save() {
        defer { rearm() }
        guard let cluster = environment.cluster else { return }
        let tenure = cluster.tenure(of: id)
        guard let changes = saving?.saver.takeSave(under: tenure, now: ControlClock.now), let tenure else {
            return answerWaiting()
        }
        Task { [id] in finished(await cluster.save(id, changes, under: tenure)) }
    }

    private func finished(_ result: SaveResult) {
        saving?.saver.finished(result, now: ControlClock.now)
        answerWaiting()
        save()
    }

    private func answerWaiting() {
        guard let waiting = saving?.waiting, !waiting.isEmpty else { return }
        let outcomes = waiting.map { outcome(of: $0.change, since: $0.begin) }
        saving?.waiting = zip(waiting, outcomes).filter { $1 == .wait }.map(\.0)
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
