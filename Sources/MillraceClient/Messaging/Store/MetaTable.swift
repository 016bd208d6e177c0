import GRDB

/// Rows of the store's metadata.
enum MetaTable {
    enum Key: String {
        case user
        /// Id of the relay's store.
        case store
        /// Position up to which all changes of the relay are stored.
        case cursor
    }

    static func text(_ db: Database, _ key: Key) throws -> String? {
        try String.fetchOne(db, sql: "SELECT value FROM meta WHERE key = ?", arguments: [key.rawValue])
    }

    static func set(_ db: Database, _ key: Key, _ value: String) throws {
        try db.execute(
            sql: "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            arguments: [key.rawValue, value])
    }

    static func cursor(_ db: Database) throws -> Int64 { try text(db, .cursor).flatMap { Int64($0) } ?? 0 }
}
