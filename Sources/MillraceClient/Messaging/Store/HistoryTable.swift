import Foundation
import GRDB
import Signaling

/// Rows of messages. Stored messages form ranges without gaps; messages between two ranges are read from the relay on request.
///
/// Texts are written as BLOB, because SQLite TEXT values end at the first U+0000. Values that older versions wrote as TEXT are read
/// the same way.
enum HistoryTable {
    /// Stored part of a requested page.
    struct Stretch {
        /// Messages in ascending order of their numbers.
        var messages: [Message]
        /// Whether more messages exist, in the store or at the relay.
        var hasMore: Bool
        /// Request to the relay that is needed to complete the page; nil if the page is complete.
        var missing: Missing?
    }

    enum Missing: Equatable {
        case newest
        case before(Int64)
        case after(Int64)

        /// Number of the reference message; nil for the newest messages.
        var number: Int64? {
            switch self {
            case .newest: nil
            case .before(let number), .after(let number): number
            }
        }
    }

    /// Returns the stored messages before one that is stored, or the newest ones.
    static func before(_ db: Database, _ ref: ConversationRef, _ number: Int64?, count: Int) throws -> Stretch {
        if let number {
            guard try isJoined(db, ref, number) else {
                return Stretch(messages: [], hasMore: true, missing: .before(number))
            }
        } else {
            guard try ConversationTable.find(db, ref)?.isCurrent == true else {
                return Stretch(messages: [], hasMore: true, missing: .newest)
            }
        }
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM message WHERE type = ? AND conversation = ? AND number < ?
                ORDER BY number DESC LIMIT ?
                """,
            arguments: [ref.type.rawValue, ref.id, number ?? .max, count + 1])
        var messages: [Message] = []
        for row in rows.prefix(count) {
            let message = message(row)
            messages.append(message)
            let joined: Bool = row["joined"]
            if !joined {
                let isEnough = messages.count == count
                return Stretch(
                    messages: messages.reversed(), hasMore: true, missing: isEnough ? nil : .before(message.number))
            }
        }
        return Stretch(messages: messages.reversed(), hasMore: rows.count > count, missing: nil)
    }

    /// Returns the stored messages after one that is stored.
    static func after(_ db: Database, _ ref: ConversationRef, _ number: Int64, count: Int) throws -> Stretch {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT * FROM message WHERE type = ? AND conversation = ? AND number > ? ORDER BY number LIMIT ?",
            arguments: [ref.type.rawValue, ref.id, number, count + 1])
        var messages: [Message] = []
        for row in rows.prefix(count) {
            let joined: Bool = row["joined"]
            guard joined else {
                return Stretch(messages: messages, hasMore: true, missing: .after(messages.last?.number ?? number))
            }
            messages.append(message(row))
        }
        if rows.count > count { return Stretch(messages: messages, hasMore: true, missing: nil) }
        if try ConversationTable.find(db, ref)?.isCurrent == true {
            return Stretch(messages: messages, hasMore: false, missing: nil)
        }
        let isEnough = messages.count == count
        return Stretch(
            messages: messages, hasMore: true, missing: isEnough ? nil : .after(messages.last?.number ?? number))
    }

    /// Returns the stored messages nearest to one that is not stored, up to the first gap.
    static func nearest(_ db: Database, _ ref: ConversationRef, _ wanted: Missing, count: Int) throws -> [Message] {
        let isUpward = if case .after = wanted { true } else { false }
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM message WHERE type = ? AND conversation = ? AND number \(isUpward ? ">" : "<") ?
                ORDER BY number \(isUpward ? "" : "DESC") LIMIT ?
                """,
            arguments: [ref.type.rawValue, ref.id, wanted.number ?? .max, count])
        var messages: [Message] = []
        for row in rows {
            let joined: Bool = row["joined"]
            if isUpward, !joined, !messages.isEmpty { break }
            messages.append(message(row))
            if !isUpward, !joined { break }
        }
        return isUpward ? messages : messages.reversed()
    }

    /// Stores the relay's answer to a history request.
    static func store(
        _ db: Database, _ ref: ConversationRef, _ asked: Missing, _ answer: HistoryRequest.Answer
    ) throws {
        // The relay may have read messages before the user deleted them.
        let cleared = try ConversationTable.cleared(db, ref)
        let messages = answer.messages.filter { $0.conversation == ref && $0.number > cleared }
        for (index, message) in messages.enumerated() {
            let joined: Bool =
                if index > 0 {
                    true
                } else {
                    switch asked {
                    case .newest, .before: !answer.hasMore
                    case .after(let number): try exists(db, ref, number)
                    }
                }
            try insert(db, message, joined: joined)
        }
        // Messages that the relay no longer has.
        if !answer.hasMore {
            switch asked {
            case .newest: if let first = messages.first { try remove(db, ref, below: first.number) }
            case .before(let number): try remove(db, ref, below: messages.first?.number ?? number)
            case .after: break
            }
        }
        switch asked {
        case .newest: try setCurrent(db, ref)
        case .before(let number): if !messages.isEmpty || !answer.hasMore { try join(db, ref, number) }
        case .after(let number):
            guard !answer.hasMore else { break }
            // An empty answer about a message that is not stored does not prove that the newest message is stored.
            let isKnown = try !messages.isEmpty || exists(db, ref, number)
            if isKnown { try setCurrent(db, ref) }
        }
    }

    /// Inserts a message, unless the user has deleted it.
    static func insert(_ db: Database, _ message: Message, joined: Bool) throws {
        guard try ConversationTable.cleared(db, message.conversation) < message.number else { return }
        try db.execute(
            sql: """
                INSERT INTO message (type, conversation, number, id, sender, text, time, joined)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (type, conversation, number) DO UPDATE SET joined = MAX(joined, excluded.joined)
                """,
            arguments: [
                message.conversation.type.rawValue, message.conversation.id, message.number, message.id, message.from,
                Data(message.text.utf8), message.time, joined,
            ])
    }

    static func exists(_ db: Database, _ ref: ConversationRef, _ number: Int64) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT 1 FROM message WHERE type = ? AND conversation = ? AND number = ?",
            arguments: [ref.type.rawValue, ref.id, number]) ?? false
    }

    static func highest(_ db: Database, _ ref: ConversationRef) throws -> Int64? {
        try Int64.fetchOne(
            db, sql: "SELECT MAX(number) FROM message WHERE type = ? AND conversation = ?",
            arguments: [ref.type.rawValue, ref.id])
    }

    static func removeAll(_ db: Database, _ ref: ConversationRef) throws {
        try db.execute(
            sql: "DELETE FROM message WHERE type = ? AND conversation = ?", arguments: [ref.type.rawValue, ref.id])
    }

    static func remove(_ db: Database, _ ref: ConversationRef, through number: Int64) throws {
        try db.execute(
            sql: "DELETE FROM message WHERE type = ? AND conversation = ? AND number <= ?",
            arguments: [ref.type.rawValue, ref.id, number])
    }

    private static func remove(_ db: Database, _ ref: ConversationRef, below number: Int64) throws {
        try db.execute(
            sql: "DELETE FROM message WHERE type = ? AND conversation = ? AND number < ?",
            arguments: [ref.type.rawValue, ref.id, number])
    }

    /// Deletes all but the newest messages of each conversation.
    static func trim(_ db: Database, limit: Int) throws {
        let full = try Row.fetchAll(
            db, sql: "SELECT type, conversation FROM message GROUP BY type, conversation HAVING COUNT(*) > ?",
            arguments: [limit])
        for row in full {
            try trim(db, type: row["type"], id: row["conversation"], limit: limit)
        }
    }

    /// Deletes all but the newest messages of one conversation.
    static func trim(_ db: Database, _ ref: ConversationRef, limit: Int) throws {
        try trim(db, type: ref.type.rawValue, id: ref.id, limit: limit)
    }

    private static func trim(_ db: Database, type: Int, id: String, limit: Int) throws {
        // Selects the oldest message to keep and the one below; if there is none below, the limit is not exceeded.
        let numbers = try Int64.fetchAll(
            db,
            sql: """
                SELECT number FROM message WHERE type = ? AND conversation = ?
                ORDER BY number DESC LIMIT 2 OFFSET ?
                """,
            arguments: [type, id, limit - 1])
        guard numbers.count == 2, let lowest = numbers.first else { return }
        try db.execute(
            sql: "DELETE FROM message WHERE type = ? AND conversation = ? AND number < ?",
            arguments: [type, id, lowest])
        try db.execute(
            sql: "UPDATE message SET joined = 0 WHERE type = ? AND conversation = ? AND number = ?",
            arguments: [type, id, lowest])
    }

    private static func isJoined(_ db: Database, _ ref: ConversationRef, _ number: Int64) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT joined FROM message WHERE type = ? AND conversation = ? AND number = ?",
            arguments: [ref.type.rawValue, ref.id, number]) ?? false
    }

    private static func join(_ db: Database, _ ref: ConversationRef, _ number: Int64) throws {
        try db.execute(
            sql: "UPDATE message SET joined = 1 WHERE type = ? AND conversation = ? AND number = ?",
            arguments: [ref.type.rawValue, ref.id, number])
    }

    private static func setCurrent(_ db: Database, _ ref: ConversationRef) throws {
        try db.execute(
            sql: "UPDATE conversation SET newest = 1 WHERE type = ? AND id = ?",
            arguments: [ref.type.rawValue, ref.id])
    }

    private static func message(_ row: Row) -> Message {
        let type: Int = row["type"]
        let text: Data = row["text"]
        return Message(
            id: row["id"], number: row["number"],
            conversation: ConversationRef(
                type: ConversationType(rawValue: type) ?? .peer, id: row["conversation"]),
            from: row["sender"], text: String(decoding: text, as: UTF8.self), time: row["time"])
    }
}
