import GRDB
import Messaging

extension MessageStore {
    // MARK: threads

    static let threadColumns =
        "t.id, t.kind, t.a, t.b, t.groupID, t.name, t.lastNumber, t.lastTime, t.firstTime, t.purge, t.dismissed, "
        + "t.ended, t.creator"

    static func thread(_ row: Row, at place: Int = 0) throws -> ThreadRecord {
        let code: Int = try row.decode(atIndex: place + 1)
        let first: Int64 = try row.decode(atIndex: place + 2)
        let second: Int64? = try row.decode(atIndex: place + 3)
        let group: String? = try row.decode(atIndex: place + 4)
        let name: String? = try row.decode(atIndex: place + 5)
        let kind: ThreadRecord.Kind =
            code == 2 ? .group(id: group ?? "", name: name ?? "", owner: first) : .peers(first, second ?? 0)
        var thread = ThreadRecord(id: try row.decode(atIndex: place), kind: kind)
        thread.lastNumber = try row.decode(atIndex: place + 6)
        thread.lastTime = try row.decode(atIndex: place + 7)
        thread.firstTime = try row.decode(atIndex: place + 8)
        thread.purgeThrough = try row.decode(atIndex: place + 9)
        thread.isDismissed = try row.decode(atIndex: place + 10)
        thread.endedAt = try row.decode(atIndex: place + 11)
        thread.creator = try row.decode(atIndex: place + 12)
        return thread
    }

    private func thread(where condition: String, _ arguments: StatementArguments) throws -> ThreadRecord? {
        try first("SELECT \(Self.threadColumns) FROM thread t WHERE \(condition)", arguments) { try Self.thread($0) }
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
        return try first(sql, [user]) { row -> Int in try row.decode(atIndex: 0) } ?? 0
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

    static let entryColumns =
        "e.user, e.thread, e.ord, e.change, e.unread, e.readThrough, e.cleared, e.muted, e.listed, e.joined"

    static func entry(_ row: Row, at place: Int = 0) throws -> EntryRecord {
        var entry = EntryRecord(user: try row.decode(atIndex: place), thread: try row.decode(atIndex: place + 1))
        entry.order = try row.decode(atIndex: place + 2)
        entry.change = try row.decode(atIndex: place + 3)
        entry.unread = try row.decode(atIndex: place + 4)
        entry.readThrough = try row.decode(atIndex: place + 5)
        entry.clearedThrough = try row.decode(atIndex: place + 6)
        entry.isMuted = try row.decode(atIndex: place + 7)
        entry.isListed = try row.decode(atIndex: place + 8)
        entry.joined = try row.decode(atIndex: place + 9)
        return entry
    }

    func entry(_ user: UserRecord.ID, _ thread: ThreadRecord.ID) throws -> EntryRecord? {
        try first(
            "SELECT \(Self.entryColumns) FROM entry e WHERE e.user = ? AND e.thread = ?", [user, thread]
        ) { try Self.entry($0) }
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
        try all("SELECT \(Self.entryColumns) FROM entry e WHERE e.user = ? LIMIT ?", [user, limit]) {
            try Self.entry($0)
        }
    }

    func newestEntries(of user: UserRecord.ID, limit: Int) throws -> [EntryRecord] {
        try all(
            "SELECT \(Self.entryColumns) FROM entry e WHERE e.user = ? ORDER BY e.change DESC LIMIT ?", [user, limit]
        ) { try Self.entry($0) }
    }

    func members(of thread: ThreadRecord.ID) throws -> [MemberRecord] {
        try all(
            """
            SELECT \(Self.entryColumns), \(Self.userColumns) FROM entry e JOIN user u ON u.id = e.user
            WHERE e.thread = ? AND e.joined > 0 ORDER BY e.joined, e.user
            """, [thread]
        ) { try MemberRecord(user: Self.user($0, at: 10), entry: Self.entry($0)) }
    }
    func members(of thread: ThreadRecord.ID, whoHaveNotRead number: Int64) throws -> [MemberRecord] {
        try all(
            """
            SELECT \(Self.entryColumns), \(Self.userColumns) FROM entry e JOIN user u ON u.id = e.user
            WHERE e.thread = ? AND e.joined > 0 AND e.readThrough < ?
            """, [thread, number]
        ) { try MemberRecord(user: Self.user($0, at: 10), entry: Self.entry($0)) }
    }

    func strangers(from thread: ThreadRecord.ID, limit: Int) throws -> [EntryRecord] {
        try all(
            """
            SELECT \(Self.entryColumns) FROM entry e JOIN user u ON u.id = e.user
            WHERE e.thread = ?1 AND e.joined = 0 AND u.acted = 0
                AND NOT EXISTS (
                    SELECT 1 FROM entry o JOIN thread t ON t.id = o.thread WHERE o.user = e.user AND t.dismissed = 0)
                AND NOT EXISTS (SELECT 1 FROM thread WHERE kind = 0 AND a = e.user)
                AND NOT EXISTS (SELECT 1 FROM thread WHERE kind = 0 AND b = e.user)
            LIMIT ?2
            """, [thread, limit]
        ) { try Self.entry($0) }
    }
}
