import MediaBase

/// Times at which housekeeping visits the sessions of a worker. A round visits the sessions that are due, a slice of them per call, so that
/// packets do not wait for thousands of sessions.
struct HousekeepingSchedule {
    /// Minimum time between two rounds.
    private static let interval = MediaTime.milliseconds(100)
    private static let sessionsPerSlice = 256
    private static let sliceInterval = MediaTime.milliseconds(1)

    /// Time at which `takeSlice` is due next.
    private(set) var next: MediaTime = .zero
    private var last: MediaTime = .zero
    /// Sessions that have not been visited yet in this round.
    private var round: [EngineSession] = []
    /// Whether the next round visits all sessions, because a control call may have changed any of them.
    private var visitsAll = true

    /// Returns the sessions to visit now. Call `finish` afterwards.
    /// - Parameter isSorted: the sessions of a round are visited in the order of their names, not in that of the dictionary, which differs
    ///   from run to run.
    mutating func takeSlice(of sessions: [String: EngineSession], isSorted: Bool, now: MediaTime) -> [EngineSession] {
        last = now
        if round.isEmpty {
            round = visitsAll ? Array(sessions.values) : sessions.values.filter { $0.visitDue <= now }
            visitsAll = false
            if isSorted { round.sort { $0.name < $1.name } }
        }
        let slice = Array(round.suffix(Self.sessionsPerSlice))
        round.removeLast(slice.count)
        return slice
    }

    /// Schedules the next visit to a session that has been visited.
    func note(visited session: EngineSession, now: MediaTime) { session.visitDue = session.nextVisit(now: now) }

    /// Schedules the next slice or round, after the sessions of a slice have been visited.
    mutating func finish(_ sessions: [String: EngineSession], now: MediaTime) {
        guard round.isEmpty else {
            next = now + Self.sliceInterval
            return
        }
        let due = visitsAll ? now : sessions.values.reduce(MediaTime.never) { min($0, $1.visitDue) }
        next = max(due, now + Self.interval)
    }

    /// Ends the rest of a session, because packets arrive or one of its timers starts.
    mutating func visitSoon(_ session: EngineSession, now: MediaTime) {
        session.visitDue = now
        next = min(next, max(now, last + Self.interval))
    }

    /// Makes the next round visit all sessions.
    mutating func visitAll() {
        visitsAll = true
        next = min(next, last + Self.interval)
    }
}
