import Foundation
import GRDB
import Glibc
import MediaBase
import Messaging

/// Conversation store in an SQLite file. One connection writes while others read.
final class SQLiteMessages: MessageEngine {
    private let path: String
    let pool: DatabasePool
    private let lock: DirectoryLock
    private let checkpointer: Checkpointer

    /// Opens the store, creates it if necessary, and migrates an older one. Leaves a store that cannot be used unchanged.
    init(directory: String, _ configuration: StorageConfiguration, _ reports: MessageReports?) throws(StorageError) {
        path = Self.path(in: directory)
        try Self.makeDirectory(directory)
        lock = try DirectoryLock(path: directory + "/messages.lock")
        try Self.makeFile(path)
        do {
            try Self.check(path, configuration)
            pool = try DatabasePool(path: path, configuration: Self.settings(configuration))
            try Self.prepareWriter(of: pool)
            try MessageSchema.migrator.migrate(pool)
            try Self.bound(pool, configuration)
            checkpointer = try Checkpointer(path, configuration)
        } catch {
            throw StorageError(error)
        }
        checkpointer.start { [weak reports] error in reports?.failedByItself(error) }
    }

    static func path(in directory: String) -> String { directory + "/messages.sqlite" }

    func write(_ body: @escaping @Sendable (any MessageWriter) -> Void) {
        pool.asyncWriteWithoutTransaction { [checkpointer] db in
            body(Writer(db: db))
            checkpointer.noteWrite()
        }
    }

    func read(
        _ body: @escaping @Sendable (any DivisibleTransaction) throws -> MessagingOutcome
    ) async throws -> MessagingOutcome {
        try await pool.read { db in try body(try MessageStore(SQLiteConnection(db: db))) }
    }

    private struct Writer: MessageWriter {
        let batchTime: MediaTime? = nil
        let db: Database

        func transact(_ body: (any DivisibleTransaction) throws -> MessageBatch) throws -> MessageBatch {
            var batch = MessageBatch()
            try db.inTransaction(.immediate) {
                batch = try body(try MessageStore(SQLiteConnection(db: db)))
                return .commit
            }
            return batch
        }
    }

    private static func makeDirectory(_ path: String) throws(StorageError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StorageError(.directory, "\(path) cannot be created: \((error as NSError).localizedDescription)")
        }
    }

    /// Creates the file with mode 0600, which SQLite also uses for its other files, because messages are private.
    private static func makeFile(_ path: String) throws(StorageError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(opening: path, errno) }
        Glibc.close(descriptor)
    }

    static func settings(_ configuration: StorageConfiguration) -> Configuration {
        var settings = Configuration()
        settings.label = "millrace.messages"
        settings.foreignKeysEnabled = false
        settings.maximumReaderCount = configuration.readers
        settings.busyMode = .timeout(configuration.busyTimeout)
        settings.prepareDatabase { db in
            // `Checkpointer` moves the log, so that no commit waits for it.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try db.execute(sql: "PRAGMA cache_size = -16000")
        }
        return settings
    }

    /// Makes commits durable before they are answered, even on a power failure. `DatabasePool` lowers `synchronous`
    /// when it enables the log, so this must follow its creation.
    private static func prepareWriter(of pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // The checkpointer goes by the log's size, so a restarted log must be shorter than before.
            _ = try Int64.fetchOne(db, sql: "PRAGMA journal_size_limit = \(restartedLog)")
        }
    }

    /// Bytes that a restarted log keeps, because overwriting is faster than growing the file.
    private static let restartedLog = 4 << 20

    /// Checks the file on a read-only connection, so that a damaged file is not changed.
    private static func check(_ path: String, _ configuration: StorageConfiguration) throws {
        var settings = Self.settings(configuration)
        settings.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: settings)
        defer { try? queue.close() }
        try queue.read { db in
            if configuration.checksAtStart {
                let fault = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
                guard fault == "ok" else { throw StorageError(.corrupted, "\(path): \(fault)") }
            }
            let isNewer = try MessageSchema.migrator.hasBeenSuperseded(db)
            guard !isNewer else { throw StorageError(.newer, "\(path) was written by a newer version") }
        }
    }

    private static func bound(_ pool: DatabasePool, _ configuration: StorageConfiguration) throws {
        guard configuration.maximumMegabytes > 0 else { return }
        try pool.writeWithoutTransaction { db in
            let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4_096
            let pages = min(configuration.maximumMegabytes * (1_048_576 / pageSize), 4_294_967_294)
            _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages)")
        }
    }

    /// Bytes of the database and its log.
    var bytes: Int { FileStatus.size(path) + FileStatus.size(path + "-wal") }

    func integrityFault() throws -> String? {
        let answer = try pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
        return answer == "ok" ? nil : answer ?? "no answer"
    }

    /// SQLite then moves the log into the database. Without a call, it does so when the object ends.
    func close(waits: Bool) {
        guard waits else { return }
        checkpointer.stop()
        try? pool.close()
        lock.release()
    }
}
