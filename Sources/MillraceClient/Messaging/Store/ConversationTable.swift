import Foundation
import GRDB
import Signaling

/// Rows of the conversation list.
enum ConversationTable {
    struct Entry {
        /// State shown on this device; its unread count excludes `hiddenUnread`.
        var conversation: Conversation
        /// Whether the conversation is on the relay's list.
        var isListed: Bool
        /// Value of `order` up to which the conversation is hidden on this device.
        var hidden: Int64
        /// Whether the highest stored message is the newest of the conversation.
        var isCurrent: Bool
        /// Number of messages that are unread at the relay and were hidden with the conversation on this
        /// device only.
        var hiddenUnread = 0

        var isVisible: Bool { isListed && conversation.order > hidden }
    }

    private static let visible = "listed = 1 AND place > hidden"

    static func page(_ db: Database, before order: Int64?, count: Int) throws -> [Conversation] {
        let rows = try Row.fetchAll(
            db, sql: "SELECT * FROM conversation WHERE \(visible) AND place < ? ORDER BY place DESC LIMIT ?",
            arguments: [order ?? .max, count])
        return rows.compactMap { entry($0)?.conversation }
    }

    static func find(_ db: Database, _ ref: ConversationRef) throws -> Entry? {
        try Row.fetchOne(
            db, sql: "SELECT * FROM conversation WHERE type = ? AND id = ?", arguments: [ref.type.rawValue, ref.id]
        ).flatMap(entry)
    }

    /// Returns the number of the last message of a conversation that the user deleted; 0 if there is none.
    static func cleared(_ db: Database, _ ref: ConversationRef) throws -> Int64 {
        try Int64.fetchOne(
            db, sql: "SELECT cleared FROM conversation WHERE type = ? AND id = ?",
            arguments: [ref.type.rawValue, ref.id]) ?? 0
    }

    static func totalUnread(_ db: Database) throws -> Int {
        try Int.fetchOne(
            db, sql: "SELECT COALESCE(SUM(unread), 0) FROM conversation WHERE \(visible) AND notification = ?",
            arguments: [NotificationStatus.notify.rawValue]) ?? 0
    }

    static func save(_ db: Database, _ entry: Entry) throws {
        let conversation = entry.conversation
        // Encoding this type cannot fail.
        let last = conversation.lastMessage.flatMap { try? JSONEncoder().encode($0) }
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO conversation
                (type, id, name, unread, lastMessage, place, change, notification, listed, hidden, newest, cleared,
                hiddenUnread)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                conversation.type.rawValue, conversation.id, conversation.name, conversation.unread,
                last.map { String(decoding: $0, as: UTF8.self) }, conversation.order, conversation.change,
                conversation.notification.rawValue, entry.isListed, entry.hidden, entry.isCurrent,
                conversation.clearedThrough, entry.hiddenUnread,
            ])
    }

    /// Decodes a row; nil if a newer version of the library wrote it.
    private static func entry(_ row: Row) -> Entry? {
        guard let type = ConversationType(rawValue: row["type"]),
            let notification = NotificationStatus(rawValue: row["notification"])
        else { return nil }
        let last: String? = row["lastMessage"]
        var conversation = Conversation(
            type: type, id: row["id"], name: row["name"], unread: row["unread"],
            lastMessage: last.flatMap { try? JSONDecoder().decode(Message.self, from: Data($0.utf8)) },
            order: row["place"], change: row["change"], notification: notification)
        conversation.clearedThrough = row["cleared"]
        return Entry(
            conversation: conversation, isListed: row["listed"], hidden: row["hidden"], isCurrent: row["newest"],
            hiddenUnread: row["hiddenUnread"])
    }
}
