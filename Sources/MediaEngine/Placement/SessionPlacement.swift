import MediaBase

/// Worker of each session by name. A new session goes to the worker with the least load, and stays there until the worker holds nothing
/// of it any more.
struct SessionPlacement {
    /// Expected CPU use of a session that was placed a moment ago and is not part of the measured load yet, in thousandths of one core.
    /// Otherwise all clients that reconnect after a restart would get the same worker.
    static let expectedLoad = 10
    /// Loads of the same step, in thousandths of one core, count as equal. Otherwise the smallest difference between idle workers would
    /// send all sessions to one of them.
    static let loadStep = 50

    private struct Entry {
        let worker: Int
        /// Calls that may open the session and have not run yet.
        var calls = 1
        /// Whether the worker holds the session, or peers that will open it again when they connect.
        var isHeld = false

        var isUnused: Bool { calls == 0 && !isHeld }
    }

    /// Sessions of one worker.
    private struct Share {
        var sessions = 0
        /// Subscribers that were placed here by load, because their session's home worker was loaded.
        var subscribers: UInt64 = 0
        /// Number of the second in which the last session was placed.
        private var second: Int64 = .min
        private var placed = 0
        private var placedBefore = 0

        /// Returns the number of sessions that were placed in this second and in the one before.
        mutating func recent(_ now: MediaTime) -> Int {
            advance(to: now)
            return placed + placedBefore
        }

        mutating func add(_ now: MediaTime) {
            advance(to: now)
            placed += 1
            sessions += 1
        }

        private mutating func advance(to now: MediaTime) {
            let current = now.rawValue / 1_000_000_000
            guard current != second else { return }
            placedBefore = second != .min && current - second == 1 ? placed : 0
            placed = 0
            second = current
        }
    }

    private var entries: [String: Entry] = [:]
    private var shares: [Share]
    private let limit: Int

    /// - Parameters:
    ///   - workers: number of workers, at least 1.
    ///   - limit: maximum number of names.
    init(workers: Int, limit: Int) {
        shares = Array(repeating: Share(), count: workers)
        self.limit = limit
    }

    /// Number of names that have a worker.
    var count: Int { entries.count }

    /// Returns the worker of a session; nil if no worker holds it.
    func worker(of name: String) -> Int? { entries[name]?.worker }

    /// Returns the worker for a call that may open a session. The session keeps the worker at least until `end` reports the end of the call.
    /// - Parameter load: measured CPU use of a worker, in thousandths of one core.
    /// - Returns: nil if the table is full.
    mutating func begin(_ name: String, now: MediaTime, load: (Int) -> Int) -> Int? {
        if let entry = entries[name] {
            entries[name]?.calls += 1
            return entry.worker
        }
        guard entries.count < limit else { return nil }
        let worker = leastLoaded(now, load)
        shares[worker].add(now)
        entries[name] = Entry(worker: worker)
        return worker
    }

    /// Returns the home worker of a session, and the worker for a new subscriber: the home worker, or the one with the least load if the home
    /// worker is loaded.
    /// - Parameters:
    ///   - opens: the call may open the session.
    ///   - spreadLoad: load of the home worker from which on subscribers go to other workers, in thousandths of one core; 0: always.
    /// - Returns: nil if the table is full, or if no worker holds the session and the call does not open it.
    mutating func beginSubscriber(
        _ name: String, opens: Bool, spreadLoad: Int, now: MediaTime, load: (Int) -> Int
    ) -> (home: Int, worker: Int)? {
        let isHeld = entries[name]?.isHeld ?? false
        guard opens || entries[name] != nil, let home = begin(name, now: now, load: load) else { return nil }
        let homeLoad = load(home)
        guard isHeld, homeLoad >= spreadLoad else { return (home, home) }
        var best = (worker: home, step: homeLoad / Self.loadStep, subscribers: shares[home].subscribers)
        for worker in shares.indices.prefix(SessionParts.maximumWorkers) where worker != home {
            let step = load(worker) / Self.loadStep
            let subscribers = shares[worker].subscribers
            if (step, subscribers) < (best.step, best.subscribers) { best = (worker, step, subscribers) }
        }
        // A link costs more than it saves as long as both workers have the same load.
        if spreadLoad > 0, best.step >= homeLoad / Self.loadStep { best.worker = home }
        shares[best.worker].subscribers += 1
        return (home, best.worker)
    }

    /// Records that the home worker of a session holds it.
    mutating func hold(_ name: String, by worker: Int) {
        if entries[name]?.worker == worker { entries[name]?.isHeld = true }
    }

    /// Records that a call has run, or was refused before it could run.
    /// - Parameter isHeld: whether the worker holds anything of the session now; nil: the call did not reach the worker.
    mutating func end(_ name: String, isHeld: Bool?) {
        guard var entry = entries[name] else { return }
        entry.calls -= 1
        if let isHeld { entry.isHeld = isHeld }
        update(name, entry)
    }

    /// Records that a worker holds nothing of a session any more. Another worker may have a session of that name by now.
    mutating func release(_ name: String, by worker: Int) {
        guard var entry = entries[name], entry.worker == worker else { return }
        entry.isHeld = false
        update(name, entry)
    }

    private mutating func update(_ name: String, _ entry: Entry) {
        guard entry.isUnused else {
            entries[name] = entry
            return
        }
        entries[name] = nil
        shares[entry.worker].sessions -= 1
    }

    /// Returns the worker with the least load; of several, the one with the fewest sessions; of several, the first.
    private mutating func leastLoaded(_ now: MediaTime, _ load: (Int) -> Int) -> Int {
        var best = (worker: 0, step: Int.max, sessions: Int.max)
        for worker in shares.indices {
            let step = (load(worker) + Self.expectedLoad * shares[worker].recent(now)) / Self.loadStep
            let sessions = shares[worker].sessions
            if (step, sessions) < (best.step, best.sessions) { best = (worker, step, sessions) }
        }
        return best.worker
    }
}
