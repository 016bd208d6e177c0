import Cluster
import ClusterTestKit
import MediaBase
import MillraceTestKit
import Persistence

/// A database behind the interface of the shared tests. Its rows are changed through another connection.
struct PostgresTestedStore: TestedStore {
    let server: PostgresServer
    let database: String
    let store: PostgresClusterStore
    let settings = longSettings()

    /// Makes an empty database.
    init(_ server: PostgresServer) throws { try self.init(server, server.makeDatabase()) }

    private init(_ server: PostgresServer, _ database: String) throws {
        self.server = server
        self.database = database
        store = try PostgresClusterStore(url: server.url(database), settings: settings)
    }

    func perform(_ request: StoreRequest) async throws -> StoreAnswer { try await store.perform(request) }

    func age(_ id: RelayID, by time: MediaTime) throws {
        let interval = "interval '\(time.seconds) s'"
        try sql(
            "UPDATE millrace_relay SET beat = beat - \(interval), expires = expires - \(interval) WHERE id = '\(id)'")
    }

    func loseData() throws { try sql("TRUNCATE millrace_store, millrace_relay, millrace_session") }

    func another() throws -> any TestedStore { try PostgresTestedStore(server, database) }

    @discardableResult
    func sql(_ text: String) throws -> String { try server.sql(text, database: database) }

    /// Returns the processes of the server that serve connections of relays.
    func backends() throws -> [Int32] {
        try sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'millrace' AND datname = '\(database)'")
            .split(separator: "\n").compactMap { Int32($0) }
    }
}
