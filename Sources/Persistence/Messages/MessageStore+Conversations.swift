import Messaging

extension MessageStore {
    // MARK: threads

    private func thread(where condition: String, _ values: [MessageValue]) throws -> ThreadRecord? {
        try first("SELECT \(ThreadRecord.columns) FROM thread t WHERE \(condition)", values)
    }

    func thread(_ a: UserRecord.ID, _ b: UserRecord.ID) throws -> ThreadRecord? {
        try thread(where: "t.kind = 0 AND t.a = $1 AND t.b = $2", [.integer(min(a, b)), .integer(max(a, b))])
    }

    func thread(group: String) throws -> ThreadRecord? {
        try thread(where: "t.kind = 2 AND t.groupID = $1", [.text(group)])
    }

    func thread(id: ThreadRecord.ID) throws -> ThreadRecord? { try thread(where: "t.id = $1", [.integer(id)]) }

    func thread(olderThan time: Int64) throws -> ThreadRecord? {
        try thread(where: "t.firstTime IS NOT NULL AND t.firstTime < $1 ORDER BY t.firstTime LIMIT 1", [.integer(time)])
    }

    func threadToPurge() throws -> ThreadRecord? { try thread(where: "t.purge > 0 LIMIT 1", []) }

    func group(endedBefore time: Int64) throws -> ThreadRecord? {
        try thread(where: "t.ended > 0 AND t.ended < $1 ORDER BY t.ended LIMIT 1", [.integer(time)])
    }

    func groups(madeBy user: UserRecord.ID) throws -> Int {
        let count = try integer(
            "SELECT count(*) AS value FROM thread WHERE creator = $1 AND creator > 0", [.integer(user)])
        return Int(clamping: count)
    }

    func disown(groupsOf user: UserRecord.ID) throws {
        try run("UPDATE thread SET creator = 0 WHERE creator = $1 AND creator > 0", [.integer(user)])
    }

    func insertThread(_ kind: ThreadRecord.Kind) throws -> ThreadRecord {
        let columns = "(kind, a, b, groupID, name, lastNumber, lastTime, purge, dismissed, creator)"
        let id: ThreadRecord.ID
        switch kind {
        case .peers(let a, let b):
            id = try integer(
                """
                INSERT INTO thread \(columns) VALUES (0, $1, $2, NULL, NULL, 0, 0, 0, 0, 0) RETURNING id AS value
                """, [.integer(a), .integer(b)])
        case .group(let group, let name, let owner):
            id = try integer(
                """
                INSERT INTO thread \(columns) VALUES (2, $1, NULL, $2, $3, 0, 0, 0, 0, $4) RETURNING id AS value
                """, [.integer(owner), .text(group), .text(name), .integer(owner)])
        }
        return ThreadRecord(id: id, kind: kind)
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
            UPDATE thread SET a = $1, lastNumber = $2, lastTime = $3, firstTime = $4, purge = $5, dismissed = $6,
                ended = $7, creator = $8
            WHERE id = $9
            """,
            [
                .integer(first), .integer(thread.lastNumber), .integer(thread.lastTime), .init(thread.firstTime),
                .integer(thread.purgeThrough), .init(thread.isDismissed), .integer(thread.endedAt),
                .integer(thread.creator), .integer(thread.id),
            ])
    }

    func removeIfForsaken(_ thread: ThreadRecord) throws {
        let condition: String
        switch thread.kind {
        case .peers:
            condition = """
                NOT EXISTS (SELECT 1 FROM entry WHERE "user" = a AND thread = $1)
                    AND NOT EXISTS (SELECT 1 FROM entry WHERE "user" = b AND thread = $1)
                """
        case .group:
            condition = """
                dismissed = 1 AND ended = 0 AND purge = 0
                    AND NOT EXISTS (SELECT 1 FROM entry WHERE thread = $1 AND joined = 0)
                """
        }
        try run(
            """
            DELETE FROM thread WHERE id = $1 AND \(condition)
                AND NOT EXISTS (SELECT 1 FROM message WHERE thread = $1)
            """, [.integer(thread.id)])
    }

    // MARK: entries

    func entry(_ user: UserRecord.ID, _ thread: ThreadRecord.ID) throws -> EntryRecord? {
        try first(
            "SELECT \(EntryRecord.columns) FROM entry e WHERE e.\"user\" = $1 AND e.thread = $2",
            [.integer(user), .integer(thread)])
    }

    func save(_ entry: EntryRecord) throws {
        try run(
            """
            INSERT INTO entry ("user", thread, ord, change, unread, readThrough, cleared, muted, listed, joined)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT ("user", thread) DO UPDATE SET ord = excluded.ord, change = excluded.change,
                unread = excluded.unread, readThrough = excluded.readThrough, cleared = excluded.cleared,
                muted = excluded.muted, listed = excluded.listed, joined = excluded.joined
            """,
            [
                .integer(entry.user), .integer(entry.thread), .integer(entry.order), .integer(entry.change),
                .init(entry.unread), .integer(entry.readThrough), .integer(entry.clearedThrough), .init(entry.isMuted),
                .init(entry.isListed), .integer(entry.joined),
            ])
    }

    func remove(_ entry: EntryRecord) throws {
        try run(
            "DELETE FROM entry WHERE \"user\" = $1 AND thread = $2", [.integer(entry.user), .integer(entry.thread)])
    }

    func entries(of user: UserRecord.ID, limit: Int) throws -> [EntryRecord] {
        try all(
            "SELECT \(EntryRecord.columns) FROM entry e WHERE e.\"user\" = $1 LIMIT $2",
            [.integer(user), .init(limit)])
    }

    func newestEntries(of user: UserRecord.ID, limit: Int) throws -> [EntryRecord] {
        try all(
            "SELECT \(EntryRecord.columns) FROM entry e WHERE e.\"user\" = $1 ORDER BY e.change DESC LIMIT $2",
            [.integer(user), .init(limit)])
    }

    func members(of thread: ThreadRecord.ID) throws -> [MemberRecord] {
        try all(
            """
            SELECT \(EntryRecord.columns), \(UserRecord.columns) FROM entry e JOIN "user" u ON u.id = e."user"
            WHERE e.thread = $1 AND e.joined > 0 ORDER BY e.joined, e."user"
            """, [.integer(thread)])
    }

    func members(of thread: ThreadRecord.ID, whoHaveNotRead number: Int64) throws -> [MemberRecord] {
        try all(
            """
            SELECT \(EntryRecord.columns), \(UserRecord.columns) FROM entry e JOIN "user" u ON u.id = e."user"
            WHERE e.thread = $1 AND e.joined > 0 AND e.readThrough < $2
            """, [.integer(thread), .integer(number)])
    }

    func strangers(from thread: ThreadRecord.ID, limit: Int) throws -> [EntryRecord] {
        try all(
            """
            SELECT \(EntryRecord.columns) FROM entry e JOIN "user" u ON u.id = e."user"
            WHERE e.thread = $1 AND e.joined = 0 AND u.acted = 0
                AND NOT EXISTS (
                    SELECT 1 FROM entry o JOIN thread t ON t.id = o.thread WHERE o."user" = e."user" AND t.dismissed = 0)
                AND NOT EXISTS (SELECT 1 FROM thread WHERE kind = 0 AND a = e."user")
                AND NOT EXISTS (SELECT 1 FROM thread WHERE kind = 0 AND b = e."user")
            LIMIT $2
            """, [.integer(thread), .init(limit)])
    }
}
