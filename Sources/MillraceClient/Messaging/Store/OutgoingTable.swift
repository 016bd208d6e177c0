import Foundation
import GRDB
import Signaling

/// Rows of messages that the relay has not confirmed, in the order in which they were written.
enum OutgoingTable {
    static func all(_ db: Database) throws -> [OutgoingMessage] {
        try Row.fetchAll(db, sql: "SELECT * FROM outgoing ORDER BY turn").map(message)
    }

    static func first(_ db: Database) throws -> OutgoingMessage? {
        try Row.fetchOne(db, sql: "SELECT * FROM outgoing ORDER BY turn LIMIT 1").map(message)
    }

    static func count(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM outgoing") ?? 0
    }

    static func add(_ db: Database, _ message: OutgoingMessage) throws {
        try db.execute(
            sql: "INSERT INTO outgoing (id, type, conversation, text, time) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                message.id, message.conversation.type.rawValue, message.conversation.id, Data(message.text.utf8),
                message.time,
            ])
    }

    static func remove(_ db: Database, _ id: String) throws {
        try db.execute(sql: "DELETE FROM outgoing WHERE id = ?", arguments: [id])
    }

    private static func message(_ row: Row) -> OutgoingMessage {
        let type: Int = row["type"]
        let text: Data = row["text"]
        return OutgoingMessage(
            id: row["id"],
            conversation: ConversationRef(
                type: ConversationType(rawValue: type) ?? .peer, id: row["conversation"]),
            text: String(decoding: text, as: UTF8.self), time: row["time"])
    }
}
