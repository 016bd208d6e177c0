import GRDB
import Messaging

extension MessageStore {
    // MARK: threads

    private func thread(where condition: String, _ arguments: StatementArguments) throws -> ThreadRecord? {
        try first("SELECT \(ThreadRecord.columns) FROM thread t WHERE \(condition)", arguments)
    }

    func thread(_ a: UserRecord.ID, _ b: UserRecord.ID) throws -> ThreadRecord? {
        try thread(where: "t.kind = 0 AND t.a = ? AND t.b = ?", [min(a, b), max(a, b)])
    }

    func thread(group: String) throws -> ThreadRecord? {
        try thread(where: "t.kind = 2 AND t.groupID = ?", [group])
    }

    func thread(id: ThreadRecord.ID) throws -> ThreadRecord? { try thread(where: "t.id = ?", [id]) }

    func thread(olderThan time: Int64) throws -> ThreadRecord? {
        try thread(where: "t.firstTime IS NOT NULL AND t.firstTime < ? ORDER BY t.firstTime LIMIT 1", [time])
    }

    func threadToPurge() throws -> ThreadRecord? { try thread(where: "t.purge > 0 LIMIT 1", []) }

    func group(endedBefore time: Int64) throws -> ThreadRecord? {
        try thread(where: "t.ended > 0 AND t.ended < ? ORDER BY t.ended LIMIT 1", [time])
    }

    func groups(madeBy user: UserRecord.ID) throws -> Int {
        let sql = "SELECT count(*) FROM thread WHERE creator = ? AND creator > 0"
        return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [user]) ?? 0
    }

    func disown(groupsOf user: UserRecord.ID) throws {
        try run("UPDATE thread SET creator = 0 WHERE creator = ? AND creator > 0", [user])
    }

    func insertThread(_ kind: ThreadRecord.Kind) throws -> ThreadRecord {
        let columns = "(kind, a, b, groupID, name, lastNumber, lastTime, purge, dismissed, creator)"
        switch kind {
        case .peers(let a, let b):
            try run("INSERT INTO thread \(columns) VALUES (0, ?, ?, NULL, NULL, 0, 0, 0, 0, 0)", [a, b])
        case .group(let id, let name, let owner):
            try run(
                "INSERT INTO thread \(columns) VALUES (2, ?, NULL, ?, ?, 0, 0, 0, 0, ?)", [owner, id, name, owner])
        }
        return ThreadRecord(id: db.lastInsertedRowID, kind: kind)
    }

    func update(_ thread: ThreadRecord) throws {
        // Only the owner of a group can change; other properties of `kind` are constant.
        let first: UserRecord.ID
        switch thread.kind {
        case .peers(let a, _): first = a
        case .group(_, _, let owner): first = owner
        }
        try run(
            """
            UPDATE thread SET a = ?, lastNumber = ?, lastTime = ?, firstTime = ?, purge = ?, dismissed = ?,
                ended = ?, creator = ?
            WHERE id = ?
            """,
            [
                first, thread.lastNumber, thread.lastTime, thread.firstTime, thread.purgeThrough,
                thread.isDismissed, thread.endedAt, thread.creator, thread.id,
            ])
    }

    func removeIfForsaken(_ thread: ThreadRecord) throws {
        let condition: String
        switch thread.kind {
        case .peers:
            condition = """
                NOT EXISTS (SELECT 1 FROM entry WHERE user = a AND thread = ?1)
                    AND NOT EXISTS (SELECT 1 FROM entry WHERE user = b AND thread = ?1)
                """
        case .group:
            condition = """
                dismissed = 1 AND ended = 0 AND purge = 0
                    AND NOT EXISTS (SELECT 1 FROM entry WHERE thread = ?1 AND joined = 0)
                """
        }
        try run(
            """
            DELETE FROM thread WHERE id = ?1 AND \(condition)
                AND NOT EXISTS (SELECT 1 FROM message WHERE thread = ?1)
            """, [thread.id])
    }

    // MARK: entries

    func entry(_ user: UserRecord.ID, _ thread: ThreadRecord.ID) throws -> EntryRecord? {
        try first("SELECT \(EntryRecord.columns) FROM entry e WHERE e.user = ? AND e.thread = ?", [user, thread])
    }

    func save(_ entry: EntryRecord) throws {
        try run(
            """
            INSERT INTO entry (user, thread, ord, change, unread, readThrough, cleared, muted, listed, joined)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (user, thread) DO UPDATE SET ord = excluded.ord, change = excluded.change,
                unread = excluded.unread, readThrough = excluded.readThrough, cleared = excluded.cleared,
                muted = excluded.muted, listed = excluded.listed, joined = excluded.joined
            """,
            [
                entry.user, entry.thread, entry.order, entry.change, entry.unread, entry.readThrough,
                entry.clearedThrough, entry.isMuted, entry.isListed, entry.joined,
            ])
    }

    func remove(_ entry: EntryRecord) throws {
        try run("DELETE FROM entry WHERE user = ? AND thread = ?", [entry.user, entry.thread])
    }

    func entries(of user: UserRecord.ID, limit: Int) throws -> [EntryRecord] {
        try all("SELECT \(EntryRecord.columns) FROM entry e WHERE e.user = ? LIMIT ?", [user, limit])
    }

    func newestEntries(of user: UserRecord.ID, limit: Int) throws -> [EntryRecord] {
        try all(
            "SELECT \(EntryRecord.columns) FROM entry e WHERE e.user = ? ORDER BY e.change DESC LIMIT ?", [user, limit])
    }

    func members(of thread: ThreadRecord.ID) throws -> [MemberRecord] {
        try all(
            """
            SELECT \(EntryRecord.columns), \(UserRecord.columns) FROM entry e JOIN user u ON u.id = e.user
            WHERE e.thread = ? AND e.joined > 0 ORDER BY e.joined, e.user
            """, [thread])
    }

    func members(of thread: ThreadRecord.ID, whoHaveNotRead number: Int64) throws -> [MemberRecord] {
        try all(
            """
            SELECT \(EntryRecord.columns), \(UserRecord.columns) FROM entry e JOIN user u ON u.id = e.user
            WHERE e.thread = ? AND e.joined > 0 AND e.readThrough < ?
            """, [thread, number])
    }

    func strangers(from thread: ThreadRecord.ID, limit: Int) throws -> [EntryRecord] {
        try all(
            """
            SELECT \(EntryRecord.columns) FROM entry e JOIN user u ON u.id = e.user
            WHERE e.thread = ?1 AND e.joined = 0 AND u.acted = 0
                AND NOT EXISTS (
                    SELECT 1 FROM entry o JOIN thread t ON t.id = o.thread WHERE o.user = e.user AND t.dismissed = 0)
                AND NOT EXISTS (SELECT 1 FROM thread WHERE kind = 0 AND a = e.user)
                AND NOT EXISTS (SELECT 1 FROM thread WHERE kind = 0 AND b = e.user)
            LIMIT ?2
            """, [thread, limit])
    }
}
