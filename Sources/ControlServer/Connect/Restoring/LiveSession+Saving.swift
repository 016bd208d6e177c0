import Cluster
import Conference
import Signaling

/// State that survives the loss of this relay. Without a cluster, there is nothing to keep.
extension LiveSession {
    /// Notes what has changed, and saves it when it is due.
    @discardableResult
    func noteState() -> SessionSaver.Changes {
        guard let saver, !conference.isEnded else { return SessionSaver.Changes() }
        let changes = saver.note(conference.essence, conference.takeChangedSeats()) { seat in
            clients[seat.connection].map { SavedClient(seat, $0) }
        }
        save()
        return changes
    }

    /// Waits until the store has all changes that were noted so far.
    ///
    /// - Returns: false if another relay may run the session, or if the store does not save the changes in time.
    func isSaved() async -> Bool {
        guard let saver else { return true }
        let change = saver.hurry()
        save()
        if let answer = saver.answer(after: change) { return answer }
        return await withCheckedContinuation { continuation in
            saver.wait(for: change, continuation)
            rearm()
        }
    }

    /// Saves the whole state again if the store has lost it.
    func renewState() {
        saver?.recheck()
        save()
    }

    /// Begins the next save if it is due.
    func save() {
        defer { rearm() }
        guard let save = saver?.takeSave() else { return }
        Task { finished(await save()) }
    }

    private func finished(_ result: SaveResult) {
        saver?.finished(result)
        save()
    }
}
