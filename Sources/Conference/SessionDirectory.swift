package import Signaling

/// All sessions of a relay, and who may take up which connection. What stands behind a session (`LiveSession`) is the caller's.
package struct SessionDirectory<LiveSession: Sendable>: Sendable {
    package struct Entry: Sendable {
        package let id: SessionID
        package let key: SessionKey
        package let liveSession: LiveSession
    }

    /// Where a resume token leads.
    package struct Seat: Hashable, Sendable {
        package let key: SessionKey
        package let session: SessionID
        package let connection: ConnectionID
    }

    package let limits: DirectoryLimits
    /// No session is made any more, and nobody joins; who is in, may resume.
    package var isDraining = false
    private var byKey: [SessionKey: Entry] = [:]
    private var keys: [SessionID: SessionKey] = [:]
    private var seats: [String: Seat] = [:]
    private var tokens: [SessionID: Set<String>] = [:]

    package init(limits: DirectoryLimits = DirectoryLimits()) { self.limits = limits }

    package var count: Int { byKey.count }
    package var seatCount: Int { seats.count }
    package var entries: [Entry] { Array(byKey.values) }

    package subscript(key: SessionKey) -> Entry? { byKey[key] }
    package subscript(id: SessionID) -> Entry? { keys[id].flatMap { byKey[$0] } }

    /// The sessions of one app, and of no other (SES-3).
    package func entries(of app: String) -> [Entry] { byKey.values.filter { $0.key.app == app } }

    /// The session of that name, made if need be (SES-1).
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

    /// After its `ended` effect, or when its first join failed. Its resume tokens lead nowhere then; a newer session of the name stays.
    package mutating func remove(_ id: SessionID) {
        guard let key = keys.removeValue(forKey: id) else { return }
        byKey[key] = nil
        for token in tokens.removeValue(forKey: id) ?? [] { seats[token] = nil }
    }

    /// Notes where a resume token leads.
    /// - Throws: `limitReached`; `sessionEnded` for a session that is over.
    package mutating func seat(
        _ connection: ConnectionID, in entry: Entry, resumeToken: String
    ) throws(SignalingError) {
        guard keys[entry.id] != nil else { throw SignalingError(.sessionEnded) }
        guard seats.count < limits.connections else {
            throw SignalingError(
                .limitReached, "there are \(limits.connections) connections already",
                limit: DirectoryLimits.connectionsKey)
        }
        seats[resumeToken] = Seat(key: entry.key, session: entry.id, connection: connection)
        tokens[entry.id, default: []].insert(resumeToken)
    }

    package mutating func unseat(resumeToken: String) {
        guard let seat = seats.removeValue(forKey: resumeToken) else { return }
        tokens[seat.session]?.remove(resumeToken)
        if tokens[seat.session]?.isEmpty == true { tokens[seat.session] = nil }
    }

    /// - Throws: `resumeExpired` for a token that was never given out or whose session is over.
    package func seat(resumeToken: String) throws(SignalingError) -> Seat {
        guard let seat = seats[resumeToken] else { throw SignalingError(.resumeExpired) }
        return seat
    }
}
