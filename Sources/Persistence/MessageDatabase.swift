import Foundation
import GRDB
import Glibc
package import Messaging
import Signaling
import Synchronization

/// Conversations on disk. One connection writes while others read. Commands that arrive during a commit share the next
/// one, and each is answered only after its commit.
package final class MessageDatabase: Sendable {
    package typealias Answer = Result<MessagingOutcome, StorageFailure>

    struct Pending {
        let command: MessagingCommand
        let completion: @Sendable (Answer) -> Void
    }

    struct State {
        var pending: [Pending] = []
        var isWriting = false
        /// Receives failures that belong to no command.
        var onFailure: (@Sendable (StorageError) -> Void)?
        var statistics = StorageStatistics()
    }

    package let configuration: StorageConfiguration
    let limits: MessagingLimits
    /// Milliseconds since 1970.
    let wallClock: @Sendable () -> Int64
    let pool: DatabasePool
    let state = Mutex(State())
    private let lock: DirectoryLock
    let checkpointer: Checkpointer

    /// Opens the store, creates it if necessary, and migrates an older one. Leaves a store that cannot be used
    /// unchanged.
    package init(
        _ configuration: StorageConfiguration, limits: MessagingLimits = MessagingLimits(),
        wallClock: @escaping @Sendable () -> Int64
    ) throws(StorageError) {
        self.configuration = configuration
        self.limits = limits
        self.wallClock = wallClock
        try Self.makeDirectory(configuration.directory)
        lock = try DirectoryLock(path: configuration.lockPath)
        try Self.makeFile(configuration.databasePath)
        do {
            try Self.check(configuration)
            pool = try DatabasePool(path: configuration.databasePath, configuration: Self.settings(configuration))
            try Self.prepareWriter(of: pool)
            try MessageSchema.migrator.migrate(pool)
            try Self.bound(pool, configuration)
            checkpointer = try Checkpointer(configuration)
        } catch {
            throw StorageError(error)
        }
        checkpointer.start { [weak self] error in self?.failedByItself(error) }
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
    private static func check(_ configuration: StorageConfiguration) throws {
        var settings = Self.settings(configuration)
        settings.readonly = true
        let queue = try DatabaseQueue(path: configuration.databasePath, configuration: settings)
        defer { try? queue.close() }
        try queue.read { db in
            if configuration.checksAtStart {
                let fault = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
                guard fault == "ok" else { throw StorageError(.corrupted, "\(configuration.databasePath): \(fault)") }
            }
            let isNewer = try MessageSchema.migrator.hasBeenSuperseded(db)
            guard !isNewer else {
                throw StorageError(.newer, "\(configuration.databasePath) was written by a newer version")
            }
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

    package var statistics: StorageStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.pending.count
            return statistics
        }
    }

    /// Bytes of the database and its log.
    package var bytes: Int {
        FileStatus.size(configuration.databasePath) + FileStatus.size(configuration.databasePath + "-wal")
    }

    /// Checks the database; returns a text for operators if it is damaged, otherwise nil.
    package func integrityFault() throws(StorageError) -> String? {
        do {
            let answer = try pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
            return answer == "ok" ? nil : answer ?? "no answer"
        } catch {
            throw StorageError(error)
        }
    }

    /// Returns the writer's durability level (`PRAGMA synchronous`); 2 means that a commit is on disk before it is
    /// answered.
    package func writerSynchronous() throws(StorageError) -> Int {
        do {
            return try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") } ?? -1
        } catch {
            throw StorageError(error)
        }
    }

    func failed(_ error: any Error) -> StorageError {
        let error = StorageError(error)
        state.withLock { $0.statistics.failures[error.kind, default: 0] += 1 }
        return error
    }

    /// Sets the receiver of failures that belong to no command, such as those of checkpoints. Replaces an earlier one.
    package func reportFailures(to body: @escaping @Sendable (StorageError) -> Void) {
        state.withLock { $0.onFailure = body }
    }

    private func failedByItself(_ error: any Error) {
        let error = failed(error)
        let tell = state.withLock { $0.onFailure }
        tell?(error)
    }

    /// Closes the database after the last command. SQLite then moves the log into the database.
    package func close() {
        checkpointer.stop()
        try? pool.close()
        lock.release()
    }
}
