import Foundation
import GRDB
import Messaging
import MillraceTestKit
import Persistence
import Testing

/// Empty conversation store of a kind, which tests open, and change behind its back.
struct TestedStorage {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case sqlite
        case postgres

        /// Kinds whose programs are installed.
        static let present = allCases.filter { $0 == .sqlite || PostgresServer.isInstalled }

        var testDescription: String { rawValue }
    }

    private enum Backing {
        case folder(TemporaryFolder)
        case database(PostgresServer, String)
    }

    private let backing: Backing

    init(_ kind: Kind) throws {
        switch kind {
        case .sqlite: backing = .folder(TemporaryFolder())
        case .postgres:
            let server = try PostgresServer.shared.get()
            backing = .database(server, try server.makeDatabase())
        }
    }

    /// Store in a new database of a server.
    init(_ server: PostgresServer) throws { backing = .database(server, try server.makeDatabase()) }

    var configuration: StorageConfiguration {
        switch backing {
        case .folder(let folder): StorageConfiguration(directory: folder.path)
        case .database(let server, let name): StorageConfiguration(url: server.url(name))
        }
    }

    /// Address of the database; nil for a folder.
    var url: String? {
        if case .database(let server, let name) = backing { server.url(name) } else { nil }
    }

    func open(
        limits: MessagingLimits = MessagingLimits(), wallClock: @escaping @Sendable () -> Int64 = { 1_000 },
        change: (inout StorageConfiguration) -> Void = { _ in }
    ) throws -> MessageDatabase {
        var configuration = configuration
        change(&configuration)
        return try MessageDatabase(configuration, limits: limits, wallClock: wallClock)
    }

    /// Makes the store fail when a message with one of these ids is written.
    func refuseMessages(_ ids: [String]) throws {
        let list = ids.map { "'\($0)'" }.joined(separator: ", ")
        switch backing {
        case .folder(let folder):
            try write(folder) { db in
                try db.execute(
                    sql: """
                        CREATE TRIGGER damage BEFORE INSERT ON message WHEN NEW.client IN (\(list))
                        BEGIN SELECT RAISE(ABORT, 'damaged'); END
                        """)
            }
        case .database(let server, let name):
            try server.sql(
                "ALTER TABLE millrace_messages.message ADD CHECK (client NOT IN (\(list)))", database: name)
        }
    }

    /// Returns the ids of all users, sorted.
    func identities() throws -> [String] {
        switch backing {
        case .folder(let folder):
            let queue = try DatabaseQueue(path: folder.path + "/messages.sqlite")
            defer { try? queue.close() }
            return try queue.read { try String.fetchAll($0, sql: "SELECT identity FROM user ORDER BY identity") }
        case .database(let server, let name):
            return try server.sql(
                "SELECT convert_from(identity, 'UTF8') FROM millrace_messages.\"user\" ORDER BY identity",
                database: name
            ).split(separator: "\n").map(String.init)
        }
    }

    /// Executes SQL in the PostgreSQL database.
    @discardableResult
    func sql(_ text: String) throws -> String {
        guard case .database(let server, let name) = backing else { return "" }
        return try server.sql(text, database: name)
    }

    /// Ends all connections of relays to the database.
    func endConnections() throws {
        try sql(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE application_name = 'millrace' AND datname = current_database()
            """)
    }

    private func write(_ folder: TemporaryFolder, _ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: folder.path + "/messages.sqlite")
        try queue.write(body)
        try queue.close()
    }
}
