import Foundation
import GRDB
import NIOConcurrencyHelpers
public import Signaling

/// One user's conversations and their messages on this device (a SQLite database): what lists are read from, with a connection or
/// without, and what waits to be sent.
///
/// A store belongs to one user of one relay; `MessagingClient` finds out by itself where it is used for another, and begins it anew. One
/// client uses it at a time.
public final class ConversationStore: Sendable {
    /// Messages of one conversation that are kept; older ones are read from the relay again. While the store is open there may be some
    /// hundred more, and those that were read from the relay.
    public static let messageLimit = 10_000
    /// New messages of one conversation until it is looked whether there are too many.
    static let trimInterval = 256
    /// Conversations whose new messages are counted.
    private static let countedLimit = 4_096

    private let database: DatabaseQueue
    private let messageLimit: Int
    private let trimInterval: Int
    /// New messages since the conversation was last trimmed.
    private let added = NIOLockedValueBox<[ConversationRef: Int]>([:])

    /// Opens a store, or makes one.
    /// - Parameter path: of its file; its folder exists.
    /// - Throws: `storageFailed` where there is no room or no right, or where the file is something else.
    public init(path: String) throws(SessionError) {
        (messageLimit, trimInterval) = (Self.messageLimit, Self.trimInterval)
        do {
            var configuration = GRDB.Configuration()
            configuration.busyMode = .timeout(5)
            database = try DatabaseQueue(path: path, configuration: configuration)
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA journal_mode = WAL")
                try db.execute(sql: "PRAGMA synchronous = NORMAL")
            }
            try ConversationSchema.migrator.migrate(database)
            try database.write { db in try HistoryTable.trim(db, limit: Self.messageLimit) }
        } catch {
            throw SessionError(.storageFailed, "\(path): \(error)")
        }
    }

    /// A store that is gone with its process.
    /// - Throws: `storageFailed`.
    public convenience init() throws(SessionError) {
        try self.init(messageLimit: Self.messageLimit, trimInterval: Self.trimInterval)
    }

    init(messageLimit: Int, trimInterval: Int) throws(SessionError) {
        (self.messageLimit, self.trimInterval) = (messageLimit, trimInterval)
        do {
            database = try DatabaseQueue()
            try ConversationSchema.migrator.migrate(database)
        } catch {
            throw SessionError(.storageFailed, "\(error)")
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(SessionError) -> Value {
        do { return try await database.read(body) } catch { throw SessionError(.storageFailed, "\(error)") }
    }

    /// All of it or nothing.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(SessionError) -> Value {
        do { return try await database.write(body) } catch { throw SessionError(.storageFailed, "\(error)") }
    }

    /// A message that is new. Every so many of one conversation its oldest go.
    func insert(_ db: Database, _ message: Message, joined: Bool) throws {
        try HistoryTable.insert(db, message, joined: joined)
        let ref = message.conversation
        let isDue = added.withLockedValue { added in
            if added.count >= Self.countedLimit, added[ref] == nil { added.removeAll() }
            let count = added[ref, default: 0] + 1
            added[ref] = count < trimInterval ? count : nil
            return count >= trimInterval
        }
        if isDue { try HistoryTable.trim(db, ref, limit: messageLimit) }
    }

    // MARK: the list

    /// A page of the list, newest first.
    /// - Parameters:
    ///   - order: that of the last conversation of the page before; nil: from the newest on. New messages meanwhile do not shift pages.
    ///   - count: at most.
    /// - Throws: `storageFailed`, as all that reads the store.
    public func conversations(before order: Int64? = nil, count: Int = 50) async throws(SessionError) -> [Conversation]
    {
        try await read { db in try ConversationTable.page(db, before: order, count: max(0, count)) }
    }

    /// One conversation of the list; nil where it is not on it.
    public func conversation(_ ref: ConversationRef) async throws(SessionError) -> Conversation? {
        try await read { db in try ConversationTable.find(db, ref).flatMap { $0.isVisible ? $0.conversation : nil } }
    }

    /// Unread messages of all conversations of the list that are not muted.
    public func totalUnread() async throws(SessionError) -> Int {
        try await read { db in try ConversationTable.totalUnread(db) }
    }

    /// Messages that wait to be sent, oldest first.
    /// - Parameter ref: nil: of all conversations.
    public func outgoing(in ref: ConversationRef? = nil) async throws(SessionError) -> [OutgoingMessage] {
        try await read { db in try OutgoingTable.all(db).filter { ref == nil || $0.conversation == ref } }
    }

    /// Whose it is; nil before the first login.
    public func user() async throws(SessionError) -> String? {
        try await read { db in try MetaTable.text(db, .user) }
    }
}
