import Messaging

/// `MessageTransaction` on a transaction of any database.
struct MessageStore<Connection: MessageConnection>: MessageTransaction {
    let connection: Connection
    let storeID: String

    init(_ connection: Connection) throws {
        self.connection = connection
        storeID =
            try connection.rows("SELECT value FROM meta WHERE key = 'store'", []) { try $0.text("value") }.first ?? ""
    }

    /// - Parameter storeID: id that an earlier transaction has read.
    init(_ connection: Connection, storeID: String) {
        self.connection = connection
        self.storeID = storeID
    }

    func run(_ sql: String, _ values: [MessageValue]) throws { try connection.run(sql, values) }

    func first<Record: StoredRecord>(_ sql: String, _ values: [MessageValue]) throws -> Record? {
        let records: [Record] = try all(sql, values)
        return records.first
    }

    func all<Record: StoredRecord>(_ sql: String, _ values: [MessageValue]) throws -> [Record] {
        try connection.rows(sql, values) { try Record(row: $0) }
    }

    /// Executes a statement with one row and one column, `value`.
    func integer(_ sql: String, _ values: [MessageValue]) throws -> Int64 {
        try connection.rows(sql, values) { try $0.integer("value") }.first ?? 0
    }

    func isolate<Value>(_ body: () throws -> Value) throws -> Value { try connection.isolate(body) }

    // MARK: users

    func user(_ key: UserKey) throws -> UserRecord? {
        try first(
            "SELECT \(UserRecord.columns) FROM \"user\" u WHERE u.app = $1 AND u.identity = $2",
            [.text(key.app), .text(key.id)])
    }

    func user(id: UserRecord.ID) throws -> UserRecord? {
        try first("SELECT \(UserRecord.columns) FROM \"user\" u WHERE u.id = $1", [.integer(id)])
    }

    func insertUser(_ key: UserKey, now: Int64) throws -> UserRecord {
        let id = try integer(
            """
            INSERT INTO "user" (app, identity, name, created, tick, unread, groups, acted)
            VALUES ($1, $2, '', $3, $4, 0, 0, 0) RETURNING id AS value
            """, [.text(key.app), .text(key.id), .integer(now), .integer(now)])
        return UserRecord(id: id, key: key, created: now)
    }

    func update(_ user: UserRecord) throws {
        try run(
            """
            UPDATE "user" SET name = $1, created = $2, tick = $3, unread = $4, groups = $5, acted = $6 WHERE id = $7
            """,
            [
                .text(user.name), .integer(user.created), .integer(user.tick), .init(user.totalUnread),
                .init(user.groups), .init(user.hasActed), .integer(user.id),
            ])
    }

    func isNamed(_ user: UserRecord.ID) throws -> Bool {
        try integer(
            """
            SELECT CASE WHEN EXISTS (SELECT 1 FROM thread WHERE kind = 0 AND a = $1)
                OR EXISTS (SELECT 1 FROM thread WHERE kind = 0 AND b = $1) THEN 1 ELSE 0 END AS value
            """, [.integer(user)]) != 0
    }

    func removeUser(_ user: UserRecord.ID) throws { try run("DELETE FROM \"user\" WHERE id = $1", [.integer(user)]) }
}
