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

    func first<Value: FetchableRecord>(_ sql: String, _ arguments: StatementArguments) throws -> Value? {
        try Value.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    func all<Value: FetchableRecord>(_ sql: String, _ arguments: StatementArguments) throws -> [Value] {
        try Value.fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
    }

    // MARK: users

    func user(_ key: UserKey) throws -> UserRecord? {
        try first(
            "SELECT \(UserRecord.columns) FROM user u WHERE u.app = ? AND u.identity = ?", [key.app, key.id])
    }

    func user(id: UserRecord.ID) throws -> UserRecord? {
        try first("SELECT \(UserRecord.columns) FROM user u WHERE u.id = ?", [id])
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
        return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [user]) ?? false
    }

    func removeUser(_ user: UserRecord.ID) throws { try run("DELETE FROM user WHERE id = ?", [user]) }
}
