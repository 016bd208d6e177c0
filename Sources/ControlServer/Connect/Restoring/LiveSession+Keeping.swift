import Cluster
import ClusterLink
import Conference
import Logging
import Signaling

/// State that survives the loss of this relay. Without a cluster, there is nothing to keep.
extension LiveSession {
    /// Notes what has changed, and saves it when it is due.
    ///
    /// - Returns: whether the rules of the session, or the state of a client, have changed.
    @discardableResult
    func noteState() -> (rules: Bool, clients: Bool) {
        guard var keeping, !conference.isEnded else { return (false, false) }
        let now = ControlClock.now
        var changed = (rules: false, clients: false)
        let essence = conference.essence
        if essence != keeping.essence, let text = text(of: essence) {
            keeping.essence = essence
            keeping.saver.note(essence: text, now: now)
            changed.rules = true
        }
        let before = keeping.saver.latestChange
        for (id, seat) in conference.takeChangedSeats() {
            keeping.saver.note(seat: seat.flatMap { savedText(of: $0) }, of: id, now: now)
        }
        changed.clients = keeping.saver.latestChange > before
        self.keeping = keeping
        save()
        return changed
    }

    /// Waits until the store has all changes that were noted so far, or does not answer.
    ///
    /// - Returns: false if another relay runs the session.
    func isKept() async -> Bool {
        guard let change = keeping?.saver.latestChange else { return true }
        keeping?.saver.hurry(now: ControlClock.now)
        save()
        guard keeping?.saver.mayAnswer(change) == false else { return true }
        return await withCheckedContinuation { continuation in
            keeping?.waiting.append(StateKeeping.Waiting(change: change, continuation: continuation))
        }
    }

    /// Handles the time of the saver's deadline.
    func keepingTimeout() {
        keeping?.saver.handleTimeout(now: ControlClock.now)
        save()
        answerKept()
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
        guard let keeping, !keeping.waiting.isEmpty else { return }
        let isRefused = keeping.saver.isRefused
        let answered = keeping.waiting.filter { isRefused || keeping.saver.mayAnswer($0.change) }
        guard !answered.isEmpty else { return }
        self.keeping?.waiting.removeAll { isRefused || keeping.saver.mayAnswer($0.change) }
        for entry in answered { entry.continuation.resume(returning: !isRefused) }
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
