import Foundation
import GRDB
import Messaging

/// `MessageTransaction` on a transaction of the database.
struct MessageStore: MessageTransaction {
    let db: Database
    let storeID: String

    init(_ db: Database) throws {
        self.db = db
        storeID = try String.fetchOne(db.cachedStatement(sql: "SELECT value FROM meta WHERE key = 'store'")) ?? ""
    }

    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// `make` reads columns with `decode`, which throws on wrong types, so that a damaged file cannot cause a trap.
    func first<Value>(_ sql: String, _ arguments: StatementArguments, _ make: (Row) throws -> Value) throws -> Value? {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        // The row is a view of the cursor's statement, which is reset when the cursor is released.
        return try withExtendedLifetime(rows) { try rows.next().map(make) }
    }

    func all<Value>(_ sql: String, _ arguments: StatementArguments, _ make: (Row) throws -> Value) throws -> [Value] {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        var values: [Value] = []
        while let row = try rows.next() { values.append(try make(row)) }
        return values
    }

    // MARK: users

    static let userColumns = "u.id, u.app, u.identity, u.name, u.created, u.tick, u.unread, u.groups, u.acted"

    static func user(_ row: Row, at place: Int = 0) throws -> UserRecord {
        let app: String = try row.decode(atIndex: place + 1)
        let identity: String = try row.decode(atIndex: place + 2)
        var user = UserRecord(
            id: try row.decode(atIndex: place), key: UserKey(app: app, id: identity),
            created: try row.decode(atIndex: place + 4))
        user.name = try row.decode(atIndex: place + 3)
        user.tick = try row.decode(atIndex: place + 5)
        user.totalUnread = try row.decode(atIndex: place + 6)
        user.groups = try row.decode(atIndex: place + 7)
        user.hasActed = try row.decode(atIndex: place + 8)
        return user
    }

    func user(_ key: UserKey) throws -> UserRecord? {
        try first(
            "SELECT \(Self.userColumns) FROM user u WHERE u.app = ? AND u.identity = ?", [key.app, key.id]
        ) { try Self.user($0) }
    }

    func user(id: UserRecord.ID) throws -> UserRecord? {
        try first("SELECT \(Self.userColumns) FROM user u WHERE u.id = ?", [id]) { try Self.user($0) }
    }

    func insertUser(_ key: UserKey, now: Int64) throws -> UserRecord {
        try run(
            "INSERT INTO user (app, identity, name, created, tick, unread, groups, acted) "
                + "VALUES (?, ?, '', ?, ?, 0, 0, 0)",
            [key.app, key.id, now, now])
        return UserRecord(id: db.lastInsertedRowID, key: key, created: now)
    }

    func update(_ user: UserRecord) throws {
        try run(
            "UPDATE user SET name = ?, created = ?, tick = ?, unread = ?, groups = ?, acted = ? WHERE id = ?",
            [user.name, user.created, user.tick, user.totalUnread, user.groups, user.hasActed, user.id])
    }

    func isNamed(_ user: UserRecord.ID) throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM thread WHERE kind = 0 AND a = ?1)
                OR EXISTS (SELECT 1 FROM thread WHERE kind = 0 AND b = ?1)
            """
        return try first(sql, [user]) { row -> Bool in try row.decode(atIndex: 0) } ?? false
    }

    func removeUser(_ user: UserRecord.ID) throws { try run("DELETE FROM user WHERE id = ?", [user]) }
}
