import Cluster
import Foundation
import Signaling

/// State of sessions.
extension PostgresConnection {
    /// - Parameter number: of the request. A request whose connection was lost may still be under way in the server; it is refused after a later one.
    func save(
        _ id: SessionID, _ tenure: SessionTenure, _ changes: SessionChanges, number: Int64
    ) throws(PostgresError) -> StoreAnswer {
        var removed: [String] = [], changed: [String: String] = [:]
        for (connection, state) in changes.seats {
            if let state { changed[connection.rawValue] = state } else { removed.append(connection.rawValue) }
        }
        let rows = try run(
            .save,
            [id.rawValue] + tenure.values + [String(number), changes.essence, try json(removed), try json(changed)])
        return rows.count > 0 && rows.bool(0, 0) ? .saved : .saveRefused
    }

    func load(_ id: SessionID, _ tenure: SessionTenure) throws(PostgresError) -> StoreAnswer {
        let rows = try run(.load, [id.rawValue] + tenure.values)
        guard rows.count > 0 else { return .saveRefused }
        var session = StoredSession()
        for row in 0..<rows.count {
            let text = rows.text(row, 2)
            switch rows.text(row, 0) {
            case "seat": session.seats[ConnectionID(rawValue: rows.text(row, 1))] = text
            case "essence": session.essence = text
            default: break
            }
        }
        return .loaded(session)
    }

    private func json(_ value: some Encodable) throws(PostgresError) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        } catch {
            throw PostgresError(.statement, "the state of a session cannot be encoded")
        }
    }
}

extension SessionTenure {
    fileprivate var values: [String] { home.values + [String(term)] }
}
