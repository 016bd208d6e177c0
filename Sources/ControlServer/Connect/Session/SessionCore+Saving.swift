import Cluster
import Conference
import Signaling

/// State that survives the loss of this relay. Without a cluster, there is nothing to keep.
extension SessionCore {
    /// Notes what has changed, and saves it when it is due.
    @discardableResult
    func noteState() -> SessionSaver.Changes {
        guard let saver, !conference.isEnded else { return SessionSaver.Changes() }
        let changes = saver.note(conference.essence, conference.takeChangedSeats(), now: time.now) { seat in
            clients[seat.connection].map { SavedClient(seat, $0) }
        }
        save()
        return changes
    }

    /// Calls `then` when the store has all changes that were noted so far; with false if another relay may run the session, or if the store
    /// does not save the changes in time.
    func whenSaved(_ then: @escaping (Bool) -> Void) {
        guard let saver else { return then(true) }
        let change = saver.hurry(now: time.now)
        save()
        if let answer = saver.answer(after: change, now: time.now) { return then(answer) }
        saver.wait(for: change, now: time.now, then)
    }

    /// Saves the whole state again if the store has lost it.
    func renewState() {
        saver?.recheck(now: time.now)
        save()
    }

    /// Begins the next save if it is due.
    func save() {
        guard let (changes, tenure) = saver?.takeSave(now: time.now) else { return }
        emit(.save(changes, tenure))
    }

    /// Handles the result of a save.
    func saved(_ result: SaveResult) {
        saver?.finished(result, now: time.now)
        save()
    }
}
