import Cluster
import Conference
import Logging
import MediaBase
import Signaling

/// Saves the state of a session that survives the loss of its home relay, and holds the requests that wait until the store has it
/// (`SessionCore+Saving`). A session without a cluster has none.
final class SessionSaver {
    /// State that differs from what was noted before.
    struct Changes {
        /// Whether the rules of the session have changed.
        var rules = false
        /// Whether the state of a client has changed.
        var clients = false

        var isEmpty: Bool { !rules && !clients }
    }

    private struct Waiting {
        var change: UInt64
        /// Time at which the wait began.
        var begin: MediaTime
        /// Called with false if another relay runs the session.
        var then: (Bool) -> Void
    }

    /// Time between looks whether the relay still acts, and whether any relay reaches the store.
    private static let lookInterval = MediaTime.milliseconds(200)

    private let session: SessionID
    private let cluster: SessionContext.Cluster
    private let logger: Logger
    private var saver: StateSaver
    /// Rules that were noted last.
    private var essence: SessionEssence?
    /// At most one request of each client.
    private var waiting: [Waiting] = []
    /// Time of the next look at `waiting`.
    private var nextLook = MediaTime.never

    /// - Parameter saver: has the stored state after a take-over.
    init(_ session: SessionID, in cluster: SessionContext.Cluster, _ saver: StateSaver, logger: Logger) {
        self.session = session
        self.cluster = cluster
        self.saver = saver
        self.logger = logger
    }

    /// Time of the next save or look.
    var deadline: MediaTime { waiting.isEmpty ? saver.deadline : min(saver.deadline, nextLook) }

    // MARK: changes

    /// Notes the current rules, and the states of clients that may have changed.
    ///
    /// - Parameters:
    ///   - seats: nil for a client that is gone.
    ///   - client: returns what the relay knows of the client of a seat; nil if it is gone.
    func note(
        _ essence: SessionEssence, _ seats: [(ConnectionID, Seat?)], now: MediaTime, client: (Seat) -> SavedClient?
    ) -> Changes {
        var changes = Changes()
        if essence != self.essence, let text = text(of: essence) {
            self.essence = essence
            saver.note(essence: text, now: now)
            changes.rules = true
        }
        let before = saver.latestChange
        for (id, seat) in seats { saver.note(seat: seat.flatMap(client).flatMap { text(of: $0) }, of: id, now: now) }
        changes.clients = saver.latestChange != before
        return changes
    }

    private func text(of state: some Encodable) -> String? {
        do {
            return try SavedText.encode(state)
        } catch {
            logger.error("cannot encode the session's state", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Makes the noted changes due at once, because an answer waits for them.
    /// - Returns: number of the latest change.
    func hurry(now: MediaTime) -> UInt64 {
        saver.hurry(now: now)
        return saver.latestChange
    }

    /// Makes the next `takeSave` return the whole state if the store has lost it.
    func recheck(now: MediaTime) { saver.recheck(now: now) }

    // MARK: saves

    /// Returns the next save if it is due; its result goes to `finished`. Otherwise answers requests that wait no longer.
    func takeSave(now: MediaTime) -> (SessionChanges, SessionTenure)? {
        let tenure = cluster.tenure(session)
        guard let changes = saver.takeSave(under: tenure, now: now), let tenure else {
            answerWaiting(now: now)
            return nil
        }
        return (changes, tenure)
    }

    /// Handles the result of the save that was taken last.
    func finished(_ result: SaveResult, now: MediaTime) {
        saver.finished(result, now: now)
        answerWaiting(now: now)
    }

    // MARK: waiting

    /// Returns whether a request that depends on all changes up to this one succeeds; nil if it waits. If no relay reaches the store, nothing
    /// waits for it.
    func answer(after change: UInt64, now: MediaTime) -> Bool? {
        switch outcome(of: change, since: now, now: now) {
        case .answer: true
        case .refuse: false
        case .wait: nil
        }
    }

    /// Calls `then` when `answer(after:)` is known, at the latest after the time limit of `StateSaver`.
    func wait(for change: UInt64, now: MediaTime, _ then: @escaping (Bool) -> Void) {
        waiting.append(Waiting(change: change, begin: now, then: then))
        nextLook = now + Self.lookInterval
    }

    /// Handles the time `deadline`: answers requests that wait no longer.
    func look(now: MediaTime) {
        nextLook = now + Self.lookInterval
        answerWaiting(now: now)
    }

    /// Refuses all requests that wait, because the session ends here.
    func end() {
        let refused = waiting
        waiting = []
        for entry in refused { entry.then(false) }
    }

    private func outcome(of change: UInt64, since begin: MediaTime, now: MediaTime) -> StateSaver.Outcome {
        let standing = cluster.standing()
        return saver.outcome(
            of: change, after: now - begin, acts: standing.acts, isStoreDown: standing.isStoreDown)
    }

    private func answerWaiting(now: MediaTime) {
        guard !waiting.isEmpty else { return }
        let outcomes = waiting.map { outcome(of: $0.change, since: $0.begin, now: now) }
        let ready = zip(waiting, outcomes).filter { $1 != .wait }
        waiting = zip(waiting, outcomes).filter { $1 == .wait }.map(\.0)
        for (entry, outcome) in ready { entry.then(outcome == .answer) }
    }
}
