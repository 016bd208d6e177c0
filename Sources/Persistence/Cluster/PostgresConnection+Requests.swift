import Cluster
import Conference
import Foundation
import MediaBase
import Signaling

extension PostgresConnection {
    /// Maximum number of times that a claim is begun again because the session has ended after it was found.
    private static let claimAttempts = 4

    /// Carries a request out.
    /// - Parameter number: larger than that of each earlier request, and the same if the request is repeated.
    func perform(
        _ request: StoreRequest, number: Int64, _ settings: ClusterSettings
    ) throws(PostgresError) -> StoreAnswer {
        switch request {
        case .register(let description, let load):
            let rows = try run(
                .register,
                [
                    description.id.rawValue, description.link, description.fingerprint, description.region,
                    description.version, String(description.linkVersion), String(load.use), String(load.isDraining),
                    settings.leaseTime.microseconds,
                ])
            let identity = RelayIdentity(id: description.id, incarnation: try rows.value(0, 0))
            return .registered(identity, try relays())
        case .beat(let identity, let load):
            return try beat(identity, load, settings)
        case .leave(let identity):
            _ = try run(.leave, identity.values)
            return .left
        case .claim(let key, let newID, let home, let minimumTerm):
            return try claim(key, newID, home, minimumTerm, settings)
        case .takeOver(let id, let home):
            guard let current = try placements(.find, [id.rawValue]).first else { return .found(nil) }
            if current.home == home || current.isHomeAlive { return .found(current) }
            if let placement = try takeOver(current, home, minimumTerm: 1, settings) { return .found(placement) }
            return .found(try placements(.find, [id.rawValue]).first)
        case .held(let identity):
            return .held(try placements(.held, identity.values))
        case .end(let id, let home, let term):
            _ = try run(.end, [id.rawValue] + home.values + [String(term)])
            return .ended
        case .find(let id):
            return .found(try placements(.find, [id.rawValue]).first)
        case .lookup(let key):
            return .found(try placements(.placement, key.values).first)
        case .save(let id, let tenure, let changes):
            return try save(id, tenure, changes, number: number)
        case .load(let id, let tenure):
            return try load(id, tenure)
        case .list(let limit):
            return .listing(try relays(), try placements(.sessions, [String(max(0, limit))]))
        }
    }

    private func beat(
        _ identity: RelayIdentity, _ load: RelayLoad, _ settings: ClusterSettings
    ) throws(PostgresError) -> StoreAnswer {
        let rows = try run(
            .beat, identity.values + [String(load.use), String(load.isDraining), settings.leaseTime.microseconds])
        let isRenewed = (0..<rows.count).contains { rows.bool($0, 0) }
        let relays = try Self.records(rows)
        if isRenewed { return .beaten(relays) }
        return .beatRefused(isReplaced: relays.contains { $0.identity.id == identity.id })
    }

    private func claim(
        _ key: SessionKey, _ newID: SessionID, _ home: RelayIdentity, _ minimumTerm: Int64, _ settings: ClusterSettings
    ) throws(PostgresError) -> StoreAnswer {
        for _ in 0..<Self.claimAttempts {
            // Most claims are for a session with a living home relay: reading needs no commit.
            guard let current = try placements(.placement, key.values).first else {
                let inserted = try placements(
                    .insert, key.values + [newID.rawValue] + home.values + [String(minimumTerm)])
                if let placement = inserted.first { return .placed(placement) }
                let members = try run(.member, home.values)
                guard members.count > 0 else { return .beatRefused(isReplaced: false) }
                continue
            }
            if current.home == home || current.isHomeAlive { return .placed(current) }
            if let placement = try takeOver(current, home, minimumTerm: minimumTerm, settings) {
                return .placed(placement)
            }
            // Another relay was quicker, or too few relays are alive.
            if let placement = try placements(.placement, key.values).first { return .placed(placement) }
        }
        throw PostgresError(.statement, "the session was claimed and ended again and again")
    }

    /// Takes a session over whose row was read. Returns nil if that row has changed, or if too few relays are alive.
    private func takeOver(
        _ current: SessionPlacement, _ home: RelayIdentity, minimumTerm: Int64, _ settings: ClusterSettings
    ) throws(PostgresError) -> SessionPlacement? {
        try placements(
            .takeOver,
            current.key.values + home.values + [String(minimumTerm)] + current.home.values
                + [String(current.term), settings.forgetTime.microseconds]
        ).first
    }

    private func relays() throws(PostgresError) -> [RelayRecord] { try Self.records(run(.relays, [])) }

    private static func records(_ rows: PostgresRows) throws(PostgresError) -> [RelayRecord] {
        var records: [RelayRecord] = []
        records.reserveCapacity(rows.count)
        for row in 0..<rows.count {
            let id = RelayID(rawValue: rows.text(row, 1))
            records.append(
                RelayRecord(
                    identity: RelayIdentity(id: id, incarnation: try rows.value(row, 2)),
                    description: RelayDescription(
                        id: id, link: rows.text(row, 3), fingerprint: rows.text(row, 4), region: rows.text(row, 5),
                        version: rows.text(row, 6), linkVersion: try rows.value(row, 7)),
                    load: RelayLoad(use: try rows.value(row, 8), isDraining: rows.bool(row, 9)),
                    isAlive: rows.bool(row, 10), silence: .microseconds(try rows.value(row, 11))))
        }
        return records
    }

    private func placements(
        _ statement: StoreStatement, _ values: [String]
    ) throws(PostgresError) -> [SessionPlacement] {
        let rows = try run(statement, values)
        var placements: [SessionPlacement] = []
        placements.reserveCapacity(rows.count)
        for row in 0..<rows.count {
            guard let key = try? SessionKey(app: rows.text(row, 0), name: rows.text(row, 1)) else {
                throw PostgresError(.statement, "a session's row has a name that is not valid")
            }
            placements.append(
                SessionPlacement(
                    key: key, id: SessionID(rawValue: rows.text(row, 2)),
                    home: RelayIdentity(
                        id: RelayID(rawValue: rows.text(row, 3)), incarnation: try rows.value(row, 4)),
                    term: try rows.value(row, 5), isHomeAlive: rows.bool(row, 6)))
        }
        return placements
    }
}

extension MediaTime {
    fileprivate var microseconds: String { String(rawValue / 1_000) }
}

extension RelayIdentity {
    var values: [String] { [id.rawValue, String(incarnation)] }
}

extension SessionKey {
    /// In the composed normal form: keys that are equal in the relay are equal in the database, which compares bytes.
    fileprivate var values: [String] {
        [app.precomposedStringWithCanonicalMapping, name.precomposedStringWithCanonicalMapping]
    }
}
