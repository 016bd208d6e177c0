import GRDB
import Messaging

extension MessageStore {
    func receipt(sender: UserRecord.ID, id: String) throws -> ReceiptRecord? {
        try first(
            "SELECT \(ReceiptRecord.columns) FROM receipt r WHERE r.sender = ? AND r.client = ?", [sender, id])
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
