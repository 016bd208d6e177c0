/// Subscribe peer connections of a worker that were offered and have not been answered yet. Only this table changes the number of them in
/// `EngineSession.awaited`, which keeps their session.
struct AwaitedSubscribers {
    private var byID: [TransportID: AwaitedSubscriber] = [:]

    /// Returns the connection that was offered in a session; nil if there is none of that id.
    subscript(id: TransportID, session: String) -> AwaitedSubscriber? {
        guard let offered = byID[id], offered.session.name == session else { return nil }
        return offered
    }

    mutating func insert(_ offered: AwaitedSubscriber, _ id: TransportID) {
        offered.session.awaited += 1
        byID[id] = offered
    }

    /// Removes a connection that was answered or withdrawn. Its session may be empty then.
    mutating func remove(_ id: TransportID) { byID.removeValue(forKey: id)?.session.awaited -= 1 }

    mutating func removeAll() {
        for offered in byID.values { offered.session.awaited -= 1 }
        byID = [:]
    }

    /// Moves a subscriber to a subsession.
    /// - Returns: false if the table does not contain it.
    mutating func move(_ move: PeerMove, session: String) -> Bool {
        guard self[move.peer, session] != nil else { return false }
        byID[move.peer]?.subsession = move.subsession
        return true
    }

    /// Sets a subscriber's preferences for a stream.
    /// - Returns: false if the table does not contain the subscriber.
    mutating func setPreferences(
        _ preferences: StreamPreferences, ofStream stream: String, for id: TransportID, session: String,
        _ counters: inout EngineCounters
    ) throws(EngineError) -> Bool {
        guard var offered = self[id, session] else { return false }
        let known = Set(offered.preferences.keys)
        try offered.preferences.set(preferences, ofStream: stream, used: known, &counters)
        byID[id] = offered
        return true
    }
}
