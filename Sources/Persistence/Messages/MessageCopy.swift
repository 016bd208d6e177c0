import GRDB
import MediaBase

/// Copies the conversations of a directory into an empty PostgreSQL database: all of them or none, with the ids of users and of the store, so
/// that clients notice no difference.
package struct MessageCopy: Sendable {
    package struct Progress: Hashable, Sendable {
        /// Table that is being copied.
        package var table: String
        package var rows: Int
        package var totalRows: Int
    }

    /// Copied rows by table.
    package struct Result: Hashable, Sendable, Codable {
        package var users = 0
        package var conversations = 0
        package var entries = 0
        package var messages = 0
        package var receipts = 0
    }

    package enum Failure: Error, Hashable, Sendable {
        /// The database has conversations already.
        case notEmpty
        case failed(StorageError)
        /// The connection was lost during the commit: the database has all conversations, or none.
        case inDoubt(StorageError)
    }

    /// Rows that are sent before the database has carried out earlier ones.
    private static let batch = 500
    /// Rows between two reports of progress.
    private static let step = 10_000

    private let source: SQLiteMessages
    private let address: PostgresAddress
    private let library: PostgresLibrary

    /// Opens the directory, and brings an older store up to date. No relay may use it.
    package init(directory: String, url: String) throws(StorageError) {
        guard FileStatus.size(SQLiteMessages.path(in: directory)) > 0 else {
            throw StorageError(.directory, "\(directory) contains no messages.sqlite")
        }
        do {
            library = try PostgresLibrary.shared.get()
            address = try PostgresAddress(url, library)
        } catch {
            throw StorageError(.failed, error.reason)
        }
        var configuration = StorageConfiguration(directory: directory)
        configuration.maximumMegabytes = 0
        source = try SQLiteMessages(directory: directory, configuration, nil)
    }

    package func close() { source.close(waits: true) }

    /// Copies all rows in one transaction.
    ///
    /// Nothing is written if it fails.
    package func run(_ report: (Progress) -> Void) throws(Failure) -> Result {
        do {
            let connection = try PostgresConnection(address, library, isCancelled: { false })
            try connection.prepareMessages(listens: false)
            return try source.pool.read { db in try copy(SQLiteConnection(db: db), connection, report) }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .failed(StorageError(error))
        }
    }

    private func copy(
        _ source: SQLiteConnection, _ connection: PostgresConnection, _ report: (Progress) -> Void
    ) throws -> Result {
        let target = PostgresTransaction(connection: connection)
        let totals = try MessageTable.all.map { table in
            try source.rows(table.count, []) { try $0.count("value") }.first ?? 0
        }
        let total = totals.reduce(0, +)
        try connection.add("BEGIN")
        try connection.add(PostgresMessageSchema.takeLock, [.integer(PostgresMessageSchema.lock)])
        for table in MessageTable.all where try !target.rows(table.probe, [], { _ in true }).isEmpty {
            throw Failure.notEmpty
        }
        let store = try source.rows("SELECT value FROM meta WHERE key = 'store'", []) { try $0.text("value") }.first
        try target.run(
            "UPDATE meta SET value = convert_from($1, 'UTF8') WHERE key = 'store'", [.text(store ?? "")])
        var copied = 0
        for table in MessageTable.all {
            _ = try source.rows(table.selection, []) { row in
                try target.run(table.insertion, try table.values(row))
                copied += 1
                if copied.isMultiple(of: Self.batch) { _ = try connection.synchronize() }
                if copied.isMultiple(of: Self.step) {
                    report(Progress(table: table.name, rows: copied, totalRows: total))
                }
            }
            if table.isNumbered { try connection.add(table.continuation) }
        }
        _ = try connection.synchronize()
        try connection.add("COMMIT")
        do throws(PostgresError) {
            _ = try connection.synchronize()
        } catch {
            throw error.cause == .statement ? Failure.failed(StorageError(error)) : .inDoubt(StorageError(error))
        }
        return Result(
            users: totals[0], conversations: totals[1], entries: totals[2], messages: totals[3], receipts: totals[4])
    }
}
