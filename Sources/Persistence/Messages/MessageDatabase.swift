import Foundation
package import Messaging
import Synchronization

/// Conversations in a database. Commands that arrive during a commit share the next one, and each is answered only after its commit.
package final class MessageDatabase: Sendable {
    package typealias Answer = Result<MessagingOutcome, StorageFailure>

    struct Pending {
        let command: MessagingCommand
        let completion: @Sendable (Answer) -> Void
    }

    struct State {
        var pending: [Pending] = []
        var isWriting = false
    }

    package let configuration: StorageConfiguration
    let limits: MessagingLimits
    /// Milliseconds since 1970.
    let wallClock: @Sendable () -> Int64
    let engine: any MessageEngine
    let state = Mutex(State())
    let reports = MessageReports()

    /// Opens the store, creates it if necessary, and migrates an older one. Leaves a store that cannot be used
    /// unchanged. A PostgreSQL server that cannot be reached is not an error: commands fail until it can.
    package init(
        _ configuration: StorageConfiguration, limits: MessagingLimits = MessagingLimits(),
        wallClock: @escaping @Sendable () -> Int64
    ) throws(StorageError) {
        self.configuration = configuration
        self.limits = limits
        self.wallClock = wallClock
        switch configuration.location {
        case .directory(let directory):
            engine = try SQLiteMessages(directory: directory, configuration, reports)
        case .url(let url): engine = try PostgresMessages(url: url, configuration, reports)
        }
    }

    package var statistics: StorageStatistics {
        var statistics = reports.statistics
        statistics.waiting = state.withLock { $0.pending.count }
        return statistics
    }

    /// Bytes of the database.
    package var bytes: Int { engine.bytes }

    /// Connects to a PostgreSQL server, and makes the tables if they are missing. Does nothing with SQLite.
    package func probe() throws(StorageError) {
        do {
            try (engine as? PostgresMessages)?.probe()
        } catch {
            throw StorageError(error)
        }
    }

    /// Checks the database; returns a text for operators if it is damaged, otherwise nil.
    package func integrityFault() throws(StorageError) -> String? {
        do {
            return try engine.integrityFault()
        } catch {
            throw StorageError(error)
        }
    }

    func failed(_ error: any Error) -> StorageError { reports.failed(error) }

    /// Sets the receiver of failures that belong to no command, such as those of checkpoints. Replaces an earlier one.
    package func reportFailures(to body: @escaping @Sendable (StorageError) -> Void) { reports.setFailures(body) }

    /// Sets the receiver of news about other relays' commits. It is called on the writer's thread, so it must be short. Replaces an earlier one.
    package func reportNews(to body: @escaping @Sendable (MessageNews) -> Void) { reports.setNews(body) }

    /// Closes the database after the last command.
    package func close() { engine.close(waits: true) }

    deinit { engine.close(waits: false) }
}
