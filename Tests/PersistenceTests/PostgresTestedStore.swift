import Cluster
import ClusterTestKit
import Dispatch
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

    func loseData() throws {
        try sql("TRUNCATE millrace_store, millrace_relay, millrace_session, millrace_seat")
    }

    func another() throws -> any TestedStore { try PostgresTestedStore(server, database) }

    @discardableResult
    func sql(_ text: String) throws -> String { try server.sql(text, database: database) }

    /// Executes SQL on a connection of its own, then waits in its transaction until `condition` is true, and commits. The call blocks no thread of
    /// the tasks that make the condition true.
    func sql(_ text: String, until condition: String) async throws {
        let script = """
            BEGIN;
            \(text);
            SELECT pg_advisory_lock(1);
            DO $$ BEGIN FOR i IN 1..3000 LOOP
                EXIT WHEN \(condition);
                PERFORM pg_sleep(0.01);
            END LOOP; END $$;
            COMMIT
            """
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Result { try sql(script) }) }
        }
        _ = try result.get()
    }

    /// Condition of a transaction: another one waits for it.
    static let isAwaited = """
        EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'
            AND transactionid = pg_current_xact_id()::xid)
        """

    /// Waits until `sql(_:until:)` waits for its condition.
    func waitForTransaction() async throws {
        let advisory =
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND database = "
            + "(SELECT oid FROM pg_database WHERE datname = current_database())"
        try await wait { try sql(advisory) != "0" }
    }

    /// Waits until a condition is true, at most 30 s.
    func wait(until condition: () throws -> Bool) async throws {
        let start = ContinuousClock.now
        while try !condition(), ContinuousClock.now - start < .seconds(30) { await Task.yield() }
    }

    /// Returns the processes of the server that serve connections of relays.
    func backends() throws -> [Int32] {
        try sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'millrace' AND datname = '\(database)'")
            .split(separator: "\n").compactMap { Int32($0) }
    }
}
