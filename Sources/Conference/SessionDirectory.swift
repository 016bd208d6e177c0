package import Signaling

/// All sessions of a relay, and the connections that resume tokens belong to. Callers pass keys of resume tokens, from which no token can be
/// derived. `LiveSession` is the caller's object for a session.
package struct SessionDirectory<LiveSession: Sendable>: Sendable {
    package struct Entry: Sendable {
        package let id: SessionID
        package let key: SessionKey
        package let liveSession: LiveSession
    }

    /// Connection that a resume token belongs to.
    package struct Seat: Hashable, Sendable {
        package let key: SessionKey
        package let session: SessionID
        package let connection: ConnectionID
    }

    package let limits: DirectoryLimits
    /// No session is created and no client joins; connected clients may resume.
    package var isDraining = false
    private var byKey: [SessionKey: Entry] = [:]
    private var keys: [SessionID: SessionKey] = [:]
    private var seats: [String: Seat] = [:]
    private var resumeKeys: [SessionID: Set<String>] = [:]

    package init(limits: DirectoryLimits = DirectoryLimits()) { self.limits = limits }

    package var count: Int { byKey.count }
    package var seatCount: Int { seats.count }
    package var entries: [Entry] { Array(byKey.values) }

    package subscript(key: SessionKey) -> Entry? { byKey[key] }
    package subscript(id: SessionID) -> Entry? { keys[id].flatMap { byKey[$0] } }

    /// Returns the sessions of one app (SES-3).
    package func entries(of app: String) -> [Entry] { byKey.values.filter { $0.key.app == app } }

    /// Returns the session of a name, and creates it if necessary (SES-1).
    /// - Throws: `draining` or `limitReached`.
    package mutating func enter(
        _ key: SessionKey, newID: SessionID, make: (SessionID) -> LiveSession
    ) throws(SignalingError) -> Entry {
        if isDraining { throw SignalingError(.draining) }
        if let entry = byKey[key] { return entry }
        guard byKey.count < limits.sessions else {
            throw SignalingError(
                .limitReached, "there are \(limits.sessions) sessions already", limit: DirectoryLimits.sessionsKey)
        }
        let entry = Entry(id: newID, key: key, liveSession: make(newID))
        byKey[key] = entry
        keys[newID] = key
        return entry
    }

    /// Removes a session after its `ended` effect or after its first join failed. Its resume tokens become invalid. A
    /// newer session of the same name stays.
    package mutating func remove(_ id: SessionID) {
        guard let key = keys.removeValue(forKey: id) else { return }
        byKey[key] = nil
        for key in resumeKeys.removeValue(forKey: id) ?? [] { seats[key] = nil }
    }

    /// Registers a resume token.
    /// - Throws: `limitReached`, or `sessionEnded` if the session has ended.
    package mutating func seat(
        _ connection: ConnectionID, in entry: Entry, resumeKey: String
    ) throws(SignalingError) {
        guard keys[entry.id] != nil else { throw SignalingError(.sessionEnded) }
        guard seats.count < limits.connections else {
            throw SignalingError(
                .limitReached, "there are \(limits.connections) connections already",
                limit: DirectoryLimits.connectionsKey)
        }
        seats[resumeKey] = Seat(key: entry.key, session: entry.id, connection: connection)
        resumeKeys[entry.id, default: []].insert(resumeKey)
    }

    package mutating func unseat(resumeKey: String) {
        guard let seat = seats.removeValue(forKey: resumeKey) else { return }
        resumeKeys[seat.session]?.remove(resumeKey)
        if resumeKeys[seat.session]?.isEmpty == true { resumeKeys[seat.session] = nil }
    }

    /// - Throws: `resumeExpired` if the token was never issued or its session has ended.
    package func seat(resumeKey: String) throws(SignalingError) -> Seat {
        guard let seat = seats[resumeKey] else { throw SignalingError(.resumeExpired) }
        return seat
    }
}
