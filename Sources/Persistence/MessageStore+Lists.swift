import Foundation
import GRDB
import Messaging

extension MessageStore {
    // MARK: lists

    private static let listed = """
        SELECT \(ListedRecord.columns) FROM entry e
        JOIN thread t ON t.id = e.thread
        LEFT JOIN user p ON p.id = CASE WHEN t.kind <> 0 THEN NULL WHEN t.a = e.user THEN t.b ELSE t.a END
        LEFT JOIN message m ON m.thread = e.thread AND m.number =
            (SELECT max(n.number) FROM message n WHERE n.thread = e.thread AND n.number > max(e.cleared, t.purge))
        LEFT JOIN user s ON s.id = m.sender
        """

    func list(of user: UserRecord.ID, below order: Int64, limit: Int) throws -> [ListedRecord] {
        try all(
            "\(Self.listed) WHERE e.user = ? AND e.listed = 1 AND e.ord < ? ORDER BY e.ord DESC LIMIT ?",
            [user, order, limit])
    }

    func changes(of user: UserRecord.ID, above change: Int64, limit: Int) throws -> [ListedRecord] {
        try all(
            "\(Self.listed) WHERE e.user = ? AND e.change > ? ORDER BY e.change LIMIT ?",
            [user, change, limit])
    }

    func listed(_ entry: EntryRecord) throws -> ListedRecord? {
        try first(
            "\(Self.listed) WHERE e.user = ? AND e.thread = ?", [entry.user, entry.thread])
    }

    // MARK: messages

    func message(sender: UserRecord.ID, id: String) throws -> MessageRecord? {
        try first(
            "SELECT \(MessageRecord.columns) FROM message m WHERE m.sender = ? AND m.client = ?", [sender, id])
    }

    func insert(_ message: MessageRecord) throws {
        try run(
            "INSERT INTO message (thread, number, sender, client, text, time) VALUES (?, ?, ?, ?, ?, ?)",
            [
                message.thread, message.number, message.sender, message.id, Data(message.text.utf8), message.time,
            ])
    }

    func messages(
        of thread: ThreadRecord.ID, above: Int64, below: Int64, isNewestFirst: Bool, limit: Int
    ) throws -> [StoredMessage] {
        try all(
            """
            SELECT \(StoredMessage.columns) FROM message m LEFT JOIN user s ON s.id = m.sender
            WHERE m.thread = ? AND m.number > ? AND m.number < ?
            ORDER BY m.number \(isNewestFirst ? "DESC" : "ASC") LIMIT ?
            """, [thread, above, below, limit])
    }

    func messages(by sender: UserRecord.ID, limit: Int) throws -> [MessageRecord] {
        try all("SELECT \(MessageRecord.columns) FROM message m WHERE m.sender = ? LIMIT ?", [sender, limit])
    }

    func remove(_ messages: [MessageRecord]) throws {
        for message in messages {
            try run("DELETE FROM message WHERE thread = ? AND number = ?", [message.thread, message.number])
        }
    }
}
