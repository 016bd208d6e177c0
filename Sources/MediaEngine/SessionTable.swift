import Forwarding
import MediaBase

/// Sessions of a worker by name. Their number is limited over all workers.
struct SessionTable {
    private(set) var byName: [String: EngineSession] = [:]
    /// Number of sessions whose home worker is another one.
    private var parts = 0
    /// Number of the newest of them that was begun.
    private var newestPart: UInt64 = 0
    private let total: WorkerTotal
    private let worker: Int
    private let limits: EngineLimits
    private let loudest: Int

    /// - Parameters:
    ///   - total: number of sessions of all workers.
    ///   - worker: index of the worker in `total`.
    ///   - loudest: audio tracks of each subsession that are forwarded at a time; 0: all.
    init(total: WorkerTotal, worker: Int, limits: EngineLimits, loudest: Int) {
        self.total = total
        self.worker = worker
        self.limits = limits
        self.loudest = loudest
    }

    subscript(name: String) -> EngineSession? { byName[name] }

    var all: Dictionary<String, EngineSession>.Values { byName.values }

    func find(_ name: String) throws(EngineError) -> EngineSession {
        guard let session = byName[name] else { throw .unknownSession(name) }
        return session
    }

    /// Returns the session with that name, or a new one, which the caller lists on success.
    func findOrMake(_ name: String, _ counters: inout EngineCounters) throws(EngineError) -> EngineSession {
        if let session = byName[name] { return session }
        guard total.sum < limits.sessions else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "sessions", limit: limits.sessions)
        }
        return make(name)
    }

    /// Returns the session with that name, if it may have one more transport.
    /// - Parameters:
    ///   - makes: if there is no session of that name, returns a new one, which the caller lists on success.
    ///   - peers: peers of the worker, some of which may not have connected yet.
    func admitting(
        _ name: String, makes: Bool, _ peers: borrowing PeerTable, _ counters: inout EngineCounters
    ) throws(EngineError) -> EngineSession {
        let session = makes ? try findOrMake(name, &counters) : try find(name)
        try session.admitTransport(unestablished: peers.unestablishedCount(in: name), &counters)
        return session
    }

    /// Returns the session with that name, or a new one regardless of the limit, for a peer that was admitted before.
    mutating func listed(_ name: String) -> EngineSession {
        if let session = byName[name] { return session }
        let session = make(name)
        list(session)
        return session
    }

    private func make(_ name: String) -> EngineSession { EngineSession(name: name, loudest: loudest, limits: limits) }

    mutating func list(_ session: EngineSession) {
        guard byName.updateValue(session, forKey: session.name) == nil else { return }
        if session.isPart { parts += 1 }
        share()
    }

    /// Begins a part of a session that has another home worker. The caller lists it.
    mutating func makePart(_ name: String, home: Int) -> EngineSession {
        newestPart += 1
        return EngineSession(
            name: name, loudest: loudest, limits: limits, part: PartState(home: home, number: newestPart))
    }

    /// A session counts once, at its home worker.
    private func share() { total.set(byName.count - parts, of: worker) }

    /// Forgets a session without transports. Another session may have its name by now.
    /// - Returns: whether the session was forgotten.
    mutating func forgetIfEmpty(_ session: EngineSession) -> Bool {
        guard session.isEmpty, byName[session.name] === session else { return false }
        byName[session.name] = nil
        if session.isPart { parts -= 1 }
        share()
        return true
    }

    /// Sets the gauges of sessions and of what they contain.
    func count(into counters: inout EngineCounters) {
        counters.sessions = UInt64(byName.count - parts)
        for session in byName.values {
            if !session.isPart { counters.streams += UInt64(session.streams.count) }
            counters.transports += UInt64(session.publishers.count + session.subscribers.count)
            for stream in session.streams { counters.taps += UInt64(stream.openTaps) }
            session.countLimits(into: &counters)
        }
    }

    mutating func removeAll() {
        byName = [:]
        parts = 0
        share()
    }
}
