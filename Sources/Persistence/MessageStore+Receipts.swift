import GRDB
import Messaging

extension MessageStore {
    func receipt(sender: UserRecord.ID, id: String) throws -> ReceiptRecord? {
        try first(
            "SELECT sender, client, thread, number, time, removed FROM receipt WHERE sender = ? AND client = ?",
            [sender, id]
        ) { row in
            ReceiptRecord(
                sender: try row.decode(atIndex: 0), id: try row.decode(atIndex: 1), thread: try row.decode(atIndex: 2),
                number: try row.decode(atIndex: 3), time: try row.decode(atIndex: 4),
                removed: try row.decode(atIndex: 5))
        }
    }

    func save(_ receipt: ReceiptRecord) throws {
        try run(
            """
            INSERT OR REPLACE INTO receipt (sender, client, thread, number, time, removed) VALUES (?, ?, ?, ?, ?, ?)
            """,
            [receipt.sender, receipt.id, receipt.thread, receipt.number, receipt.time, receipt.removed])
    }

    func removeReceipts(olderThan time: Int64, limit: Int) throws -> Int {
        try run(
            """
            DELETE FROM receipt WHERE (sender, client) IN
                (SELECT sender, client FROM receipt WHERE removed < ? ORDER BY removed LIMIT ?)
            """, [time, limit])
        return db.changesCount
    }

    func removeReceipts(of sender: UserRecord.ID, limit: Int) throws -> Int {
        try run(
            """
            DELETE FROM receipt WHERE sender = ?1 AND client IN
                (SELECT client FROM receipt WHERE sender = ?1 LIMIT ?2)
            """, [sender, limit])
        return db.changesCount
    }
}
