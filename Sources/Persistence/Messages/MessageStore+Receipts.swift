import Messaging

extension MessageStore {
    func receipt(sender: UserRecord.ID, id: String) throws -> ReceiptRecord? {
        try first(
            "SELECT \(ReceiptRecord.columns) FROM receipt r WHERE r.sender = $1 AND r.client = $2",
            [.integer(sender), .text(id)])
    }

    func save(_ receipt: ReceiptRecord) throws {
        try run(
            """
            INSERT INTO receipt (sender, client, thread, number, time, removed) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (sender, client) DO UPDATE SET thread = excluded.thread, number = excluded.number,
                time = excluded.time, removed = excluded.removed
            """,
            [
                .integer(receipt.sender), .text(receipt.id), .integer(receipt.thread), .integer(receipt.number),
                .integer(receipt.time), .integer(receipt.removed),
            ])
    }

    func removeReceipts(olderThan time: Int64, limit: Int) throws -> Int {
        try removed(
            """
            DELETE FROM receipt WHERE (sender, client) IN
                (SELECT sender, client FROM receipt WHERE removed < $1 ORDER BY removed LIMIT $2)
            RETURNING number AS value
            """, [.integer(time), .init(limit)])
    }

    func removeReceipts(of sender: UserRecord.ID, limit: Int) throws -> Int {
        try removed(
            """
            DELETE FROM receipt WHERE sender = $1 AND client IN
                (SELECT client FROM receipt WHERE sender = $1 LIMIT $2)
            RETURNING number AS value
            """, [.integer(sender), .init(limit)])
    }

    private func removed(_ sql: String, _ values: [MessageValue]) throws -> Int {
        try connection.rows(sql, values) { _ in }.count
    }
}
