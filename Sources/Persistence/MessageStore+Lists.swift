import Foundation
import GRDB
import Messaging

extension MessageStore {
    // MARK: lists

    /// Columns of an entry, its thread, the other user of a one-to-one conversation, and the newest message that the
    /// entry's user can see.
    private static let listedColumns = """
        SELECT \(entryColumns), \(threadColumns), p.identity, p.name, \(messageColumns) FROM entry e
        JOIN thread t ON t.id = e.thread
        LEFT JOIN user p ON p.id = CASE WHEN t.kind <> 0 THEN NULL WHEN t.a = e.user THEN t.b ELSE t.a END
        LEFT JOIN message m ON m.thread = e.thread AND m.number =
            (SELECT max(n.number) FROM message n WHERE n.thread = e.thread AND n.number > max(e.cleared, t.purge))
        LEFT JOIN user s ON s.id = m.sender
        """

    private static func listedRow(_ row: Row) throws -> ListedRecord {
        let identity: String? = try row.decode(atIndex: 23)
        let name: String? = try row.decode(atIndex: 24)
        let sender: Int64? = try row.decode(atIndex: 27)
        let last = sender == nil ? nil : try message(row, at: 25)
        return ListedRecord(
            entry: try entry(row), thread: try thread(row, at: 10), peer: identity.map { ($0, name ?? "") }, last: last)
    }

    func list(of user: UserRecord.ID, below order: Int64, limit: Int) throws -> [ListedRecord] {
        try all(
            "\(Self.listedColumns) WHERE e.user = ? AND e.listed = 1 AND e.ord < ? ORDER BY e.ord DESC LIMIT ?",
            [user, order, limit], Self.listedRow)
    }

    func changes(of user: UserRecord.ID, above change: Int64, limit: Int) throws -> [ListedRecord] {
        try all(
            "\(Self.listedColumns) WHERE e.user = ? AND e.change > ? ORDER BY e.change LIMIT ?",
            [user, change, limit], Self.listedRow)
    }

    func listed(_ entry: EntryRecord) throws -> ListedRecord? {
        try first(
            "\(Self.listedColumns) WHERE e.user = ? AND e.thread = ?", [entry.user, entry.thread], Self.listedRow)
    }

    // MARK: messages

    static let messageColumns = "m.thread, m.number, m.sender, m.client, m.text, m.time, s.identity"

    static func record(_ row: Row, at place: Int) throws -> MessageRecord {
        let id: String = try row.decode(atIndex: place + 3)
        let text: Data = try row.decode(atIndex: place + 4)
        return MessageRecord(
            thread: try row.decode(atIndex: place), number: try row.decode(atIndex: place + 1),
            sender: try row.decode(atIndex: place + 2), id: id, text: String(decoding: text, as: UTF8.self),
            time: try row.decode(atIndex: place + 5))
    }

    static func message(_ row: Row, at place: Int) throws -> StoredMessage {
        let from: String? = try row.decode(atIndex: place + 6)
        return StoredMessage(record: try record(row, at: place), from: from ?? "")
    }

    func message(sender: UserRecord.ID, id: String) throws -> MessageRecord? {
        try first(
            "SELECT thread, number, sender, client, text, time FROM message WHERE sender = ? AND client = ?",
            [sender, id]
        ) { try Self.record($0, at: 0) }
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
            SELECT \(Self.messageColumns) FROM message m LEFT JOIN user s ON s.id = m.sender
            WHERE m.thread = ? AND m.number > ? AND m.number < ?
            ORDER BY m.number \(isNewestFirst ? "DESC" : "ASC") LIMIT ?
            """, [thread, above, below, limit]
        ) { try Self.message($0, at: 0) }
    }

    func messages(by sender: UserRecord.ID, limit: Int) throws -> [MessageRecord] {
        try all(
            "SELECT thread, number, sender, client, text, time FROM message WHERE sender = ? LIMIT ?",
            [sender, limit]
        ) { try Self.record($0, at: 0) }
    }

    func remove(_ messages: [MessageRecord]) throws {
        for message in messages {
            try run("DELETE FROM message WHERE thread = ? AND number = ?", [message.thread, message.number])
        }
    }
}
