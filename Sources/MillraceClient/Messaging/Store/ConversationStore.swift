import Foundation
import GRDB
import NIOConcurrencyHelpers
public import Signaling

/// Local SQLite database of one user's conversations, messages and unsent messages. It can be read with or without a connection.
///
/// A store belongs to one user of one relay; `MessagingClient` detects if it is used for another one, and resets it. Only one client may
/// use a store at a time.
public final class ConversationStore: Sendable {
    /// Number of messages kept per conversation; older ones are read from the relay again. While the store is open it may keep some
    /// hundred more, and those read from the relay.
    public static let messageLimit = 10_000
    /// Number of new messages of a conversation between two checks of the limit.
    static let trimInterval = 256
    /// Maximum number of conversations whose new messages are counted.
    private static let countedLimit = 4_096

    private let database: DatabaseQueue
    private let messageLimit: Int
    private let trimInterval: Int
    /// Number of new messages by conversation since it was last trimmed.
    private let added = NIOLockedValueBox<[ConversationRef: Int]>([:])

    /// Opens a store, or creates one.
    /// - Parameter path: path of the database file; its folder must exist.
    /// - Throws: `storageFailed` if the disk is full, if permission is missing, or if the file is not such a database.
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

    /// Creates a store in memory, which is lost when the process ends.
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

    /// Runs the closure in a transaction.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(SessionError) -> Value {
        do { return try await database.write(body) } catch { throw SessionError(.storageFailed, "\(error)") }
    }

    /// Inserts a new message. After each `trimInterval` new messages of a conversation, its oldest ones are deleted.
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

    // MARK: conversation list

    /// Returns a page of the conversation list, newest first.
    /// - Parameters:
    ///   - order: `order` of the last conversation of the previous page; nil to begin with the newest. Messages that arrive between two
    ///     pages do not shift the pages.
    ///   - count: maximum number of conversations.
    /// - Throws: `storageFailed`, like all methods that read the store.
    public func conversations(before order: Int64? = nil, count: Int = 50) async throws(SessionError) -> [Conversation]
    {
        try await read { db in try ConversationTable.page(db, before: order, count: max(0, count)) }
    }

    /// Returns a conversation; nil if it is not on the list.
    public func conversation(_ ref: ConversationRef) async throws(SessionError) -> Conversation? {
        try await read { db in try ConversationTable.find(db, ref).flatMap { $0.isVisible ? $0.conversation : nil } }
    }

    /// Returns the number of unread messages in all listed conversations that are not muted.
    public func totalUnread() async throws(SessionError) -> Int {
        try await read { db in try ConversationTable.totalUnread(db) }
    }

    /// Returns the unsent messages, oldest first.
    /// - Parameter ref: conversation; nil for all conversations.
    public func outgoing(in ref: ConversationRef? = nil) async throws(SessionError) -> [OutgoingMessage] {
        try await read { db in try OutgoingTable.all(db).filter { ref == nil || $0.conversation == ref } }
    }

    /// Returns the id of the user to whom the store belongs; nil before the first login.
    public func user() async throws(SessionError) -> String? {
        try await read { db in try MetaTable.text(db, .user) }
    }
}
