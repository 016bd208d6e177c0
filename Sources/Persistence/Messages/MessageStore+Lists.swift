import Messaging

extension ListedRecord {
    fileprivate static let selection = """
        SELECT \(columns) FROM entry e
        JOIN thread t ON t.id = e.thread
        LEFT JOIN "user" p ON p.id = CASE WHEN t.kind <> 0 THEN NULL WHEN t.a = e."user" THEN t.b ELSE t.a END
        LEFT JOIN message m ON m.thread = e.thread AND m.number =
            (SELECT max(n.number) FROM message n
            WHERE n.thread = e.thread
                AND n.number > CASE WHEN e.cleared > t.purge THEN e.cleared ELSE t.purge END)
        LEFT JOIN "user" s ON s.id = m.sender
        """
}

extension MessageStore {
    // MARK: lists

    func list(of user: UserRecord.ID, below order: Int64, limit: Int) throws -> [ListedRecord] {
        try all(
            "\(ListedRecord.selection) WHERE e.\"user\" = $1 AND e.listed = 1 AND e.ord < $2 ORDER BY e.ord DESC LIMIT $3",
            [.integer(user), .integer(order), .init(limit)])
    }

    func changes(of user: UserRecord.ID, above change: Int64, limit: Int) throws -> [ListedRecord] {
        try all(
            "\(ListedRecord.selection) WHERE e.\"user\" = $1 AND e.change > $2 ORDER BY e.change LIMIT $3",
            [.integer(user), .integer(change), .init(limit)])
    }

    func listed(_ entry: EntryRecord) throws -> ListedRecord? {
        try first(
            "\(ListedRecord.selection) WHERE e.\"user\" = $1 AND e.thread = $2",
            [.integer(entry.user), .integer(entry.thread)])
    }

    // MARK: messages

    func message(sender: UserRecord.ID, id: String) throws -> MessageRecord? {
        try first(
            "SELECT \(MessageRecord.columns) FROM message m WHERE m.sender = $1 AND m.client = $2",
            [.integer(sender), .text(id)])
    }

    func insert(_ message: MessageRecord) throws {
        try run(
            "INSERT INTO message (thread, number, sender, client, text, time) VALUES ($1, $2, $3, $4, $5, $6)",
            [
                .integer(message.thread), .integer(message.number), .integer(message.sender), .text(message.id),
                .body(message.text), .integer(message.time),
            ])
    }

    func messages(
        of thread: ThreadRecord.ID, above: Int64, below: Int64, isNewestFirst: Bool, limit: Int
    ) throws -> [StoredMessage] {
        try all(
            """
            SELECT \(StoredMessage.columns) FROM message m LEFT JOIN "user" s ON s.id = m.sender
            WHERE m.thread = $1 AND m.number > $2 AND m.number < $3
            ORDER BY m.number \(isNewestFirst ? "DESC" : "ASC") LIMIT $4
            """, [.integer(thread), .integer(above), .integer(below), .init(limit)])
    }

    func messages(by sender: UserRecord.ID, limit: Int) throws -> [MessageRecord] {
        try all(
            "SELECT \(MessageRecord.columns) FROM message m WHERE m.sender = $1 LIMIT $2",
            [.integer(sender), .init(limit)])
    }

    func remove(_ messages: [MessageRecord]) throws {
        for message in messages {
            try run(
                "DELETE FROM message WHERE thread = $1 AND number = $2",
                [.integer(message.thread), .integer(message.number)])
        }
    }
}
