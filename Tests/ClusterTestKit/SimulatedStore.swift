package import Cluster
import Conference
package import MediaBase
import Signaling

/// Conformer of the cluster's store in virtual time, with the semantics of the database: the rows are in memory, and the time is an argument.
package struct SimulatedStore: Sendable {
    private struct Relay {
        var identity: RelayIdentity
        var description: RelayDescription
        var load: RelayLoad
        var beat: MediaTime
        var expires: MediaTime
    }

    private struct Session {
        var id: SessionID
        var home: RelayIdentity
        var term: Int64
        var state = StoredSession()
    }

    package let settings: ClusterSettings
    /// In the order of their ids.
    private var relays: [Relay] = []
    private var sessions: [SessionKey: Session] = [:]
    private var keys: [SessionID: SessionKey] = [:]
    /// Latest incarnation of all relays. It survives a loss of data, as the database's clock does.
    private var incarnation: Int64 = 0

    package init(settings: ClusterSettings) { self.settings = settings }

    /// Carries a request out at the time `now` of the store's clock.
    package mutating func perform(_ request: StoreRequest, now: MediaTime) -> StoreAnswer {
        switch request {
        case .register(let description, let load):
            return .registered(register(description, load, now), records(now))
        case .beat(let identity, let load):
            guard let index = index(of: identity.id) else { return .beatRefused(isReplaced: false) }
            guard relays[index].identity == identity else { return .beatRefused(isReplaced: true) }
            relays[index].load = load
            relays[index].beat = now
            relays[index].expires = now + settings.leaseTime
            return .beaten(records(now))
        case .leave(let identity):
            relays.removeAll { $0.identity == identity }
            return .left
        case .claim(let key, let newID, let home, let minimumTerm):
            guard relays.contains(where: { $0.identity == home }) else { return .beatRefused(isReplaced: false) }
            claim(key, newID, home, minimumTerm, now)
            return .placed(placement(key, sessions[key]!, now))
        case .takeOver(let id, let home):
            guard relays.contains(where: { $0.identity == home }) else { return .beatRefused(isReplaced: false) }
            guard let key = keys[id] else { return .found(nil) }
            takeOver(key, home, 1, now)
            return .found(placement(key, sessions[key]!, now))
        case .held(let identity):
            return .held(placements(now) { $0.home == identity })
        case .end(let id, let home, let term):
            if let key = keys[id], let session = sessions[key], session.home == home, session.term == term {
                sessions[key] = nil
                keys[id] = nil
            }
            return .ended
        case .save(let id, let tenure, let changes):
            guard let key = key(of: id, tenure) else { return .saveRefused }
            if let essence = changes.essence { sessions[key]!.state.essence = essence }
            for (connection, state) in changes.seats { sessions[key]!.state.seats[connection] = state }
            return .saved
        case .load(let id, let tenure):
            guard let key = key(of: id, tenure) else { return .saveRefused }
            return .loaded(sessions[key]!.state)
        case .find(let id):
            return .found(keys[id].map { placement($0, sessions[$0]!, now) })
        case .lookup(let key):
            return .found(sessions[key].map { placement(key, $0, now) })
        case .list(let limit):
            return .listing(records(now), Array(placements(now) { _ in true }.prefix(max(0, limit))))
        }
    }

    /// Removes all rows, as a database does that was restored without a backup.
    package mutating func loseData() {
        relays = []
        sessions = [:]
        keys = [:]
    }

    /// Moves a relay's last heartbeat and the end of its lease into the past.
    package mutating func age(_ id: RelayID, by time: MediaTime) {
        guard let index = index(of: id) else { return }
        relays[index].beat = relays[index].beat - time
        relays[index].expires = relays[index].expires - time
    }

    private mutating func register(
        _ description: RelayDescription, _ load: RelayLoad, _ now: MediaTime
    ) -> RelayIdentity {
        incarnation = max(incarnation + 1, now.rawValue / 1_000)
        let identity = RelayIdentity(id: description.id, incarnation: incarnation)
        let relay = Relay(
            identity: identity, description: description, load: load, beat: now, expires: now + settings.leaseTime)
        if let index = index(of: description.id) {
            relays[index] = relay
        } else {
            relays.insert(relay, at: relays.firstIndex { description.id < $0.identity.id } ?? relays.endIndex)
        }
        return identity
    }

    private mutating func claim(
        _ key: SessionKey, _ newID: SessionID, _ home: RelayIdentity, _ minimumTerm: Int64, _ now: MediaTime
    ) {
        if sessions[key] == nil {
            precondition(keys[newID] == nil, "the id \(newID) belongs to another session")
            sessions[key] = Session(id: newID, home: home, term: minimumTerm)
            keys[newID] = key
        } else {
            takeOver(key, home, minimumTerm, now)
        }
    }

    private mutating func takeOver(
        _ key: SessionKey, _ home: RelayIdentity, _ minimumTerm: Int64, _ now: MediaTime
    ) {
        guard let session = sessions[key] else { return }
        guard session.home != home, !isAlive(session.home, now), isMajorityAlive(now) else { return }
        sessions[key]!.home = home
        sessions[key]!.term = max(minimumTerm, session.term + 1)
    }

    /// Returns the key of a session that has a tenure; nil if there is none.
    private func key(of id: SessionID, _ tenure: SessionTenure) -> SessionKey? {
        guard let key = keys[id], let session = sessions[key] else { return nil }
        return session.home == tenure.home && session.term == tenure.term ? key : nil
    }

    private func index(of id: RelayID) -> Int? { relays.firstIndex { $0.identity.id == id } }

    private func isAlive(_ identity: RelayIdentity, _ now: MediaTime) -> Bool {
        relays.contains { $0.identity == identity && $0.expires > now }
    }

    /// Returns whether at least half of the relays that count are alive.
    private func isMajorityAlive(_ now: MediaTime) -> Bool {
        let counted = relays.filter { now - $0.beat < settings.forgetTime }
        return counted.count { $0.expires > now } * 2 >= counted.count
    }

    private func records(_ now: MediaTime) -> [RelayRecord] {
        relays.map {
            RelayRecord(
                identity: $0.identity, description: $0.description, load: $0.load, isAlive: $0.expires > now,
                silence: max(.zero, now - $0.beat))
        }
    }

    /// Returns the placements that fulfil a condition, in the order of their keys.
    private func placements(_ now: MediaTime, where isIncluded: (Session) -> Bool) -> [SessionPlacement] {
        sessions.filter { isIncluded($0.value) }.map { placement($0.key, $0.value, now) }.sorted { $0.key < $1.key }
    }

    private func placement(_ key: SessionKey, _ session: Session, _ now: MediaTime) -> SessionPlacement {
        SessionPlacement(
            key: key, id: session.id, home: session.home, term: session.term, isHomeAlive: isAlive(session.home, now))
    }
}
