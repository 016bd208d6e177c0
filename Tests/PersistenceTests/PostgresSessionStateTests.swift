import Cluster
import ClusterTestKit
import Glibc
import MillraceTestKit
import Persistence
import Signaling
import Testing

/// State of sessions in a real database, also while other relays change their rows. `StoreBehaviour` tests the rest.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresSessionStateTests {
    private let seat = ConnectionID(rawValue: "c")

    /// Brings an empty database to the tables of version 1.
    private func downgrade(_ tested: PostgresTestedStore) async throws {
        _ = try await tested.register("a")
        try tested.sql(
            """
            DROP TABLE millrace_seat;
            ALTER TABLE millrace_session DROP COLUMN essence, DROP COLUMN save;
            DROP FUNCTION millrace_save;
            UPDATE millrace_store SET version = 1
            """)
    }

    @Test("a save that waits for a take-over is refused after it")
    func takeOver() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        let a = try await tested.register("a"), b = try await tested.register("b")
        let before = try await tested.claim("s", a)
        let changes = SessionChanges(essence: "e", seats: [seat: "1"])
        #expect(try await tested.save(before, changes))
        async let takeOver: Void = tested.sql(
            "UPDATE millrace_session SET home = 'b', incarnation = \(b.incarnation), term = 2",
            until: PostgresTestedStore.isAwaited)
        try await tested.waitForTransaction()
        let isSaved = try await tested.save(before, SessionChanges(essence: "f", seats: [seat: nil]))
        try await takeOver
        #expect(!isSaved)
        var after = before
        after.home = b
        after.term = 2
        #expect(try await tested.load(after) == StoredSession(essence: "e", seats: [seat: "1"]))
    }

    @Test("a save that waits for an earlier one removes the seats of it")
    func earlierSave() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        let placed = try await tested.claim("s", tested.register("a"))
        async let earlier: Void = tested.sql(
            """
            UPDATE millrace_session SET save = 1;
            INSERT INTO millrace_seat VALUES ('\(placed.id)', '\(seat)', 'earlier')
            """, until: PostgresTestedStore.isAwaited)
        try await tested.waitForTransaction()
        let isSaved = try await tested.save(placed, SessionChanges(seats: [seat: nil]))
        try await earlier
        #expect(isSaved)
        #expect(try await tested.load(placed) == StoredSession())
    }

    @Test("a save whose failure was reported changes nothing after a later one")
    func lateSave() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        let placed = try await tested.claim("s", tested.register("a"))
        let others = try Set(tested.backends())
        #expect(try await tested.save(placed, SessionChanges(essence: "1")))
        let stopped = try #require(try tested.backends().first { !others.contains($0) })
        kill(stopped, SIGSTOP)
        defer { kill(stopped, SIGCONT) }
        await #expect(throws: StoreFailure.self) {
            try await tested.save(placed, SessionChanges(essence: "2", seats: [seat: "2"]))
        }
        #expect(try await tested.save(placed, SessionChanges(essence: "3")))
        kill(stopped, SIGCONT)
        // The process carries the request out that it has received, and then notices that the connection has ended.
        try await tested.wait { try !tested.backends().contains(stopped) }
        #expect(try await tested.load(placed) == StoredSession(essence: "3"))
    }

    @Test("claims and heartbeats do not wait behind a save")
    func lanes() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        let placed = try await tested.claim("s", tested.register("a"))
        async let lock: Void = tested.sql(
            "SELECT FROM millrace_session FOR UPDATE", until: "EXISTS (SELECT FROM millrace_session WHERE name = 't')")
        try await tested.waitForTransaction()
        async let save = tested.save(placed, SessionChanges(essence: "e"))
        let waiting =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        try await tested.wait { try tested.sql(waiting) != "0" }
        let b = try await tested.register("b")
        _ = try await tested.claim("t", b)
        try await lock
        #expect(try await save)
    }

    @Test("tables of version 1 get the state of sessions once, while relays of that version use them")
    func migration() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        try await downgrade(tested)
        let insert = "INSERT INTO millrace_session (app, name, id, home, incarnation, term) VALUES ('app', "
        try tested.sql(insert + "'s', 's', 'a', 1, 5)")
        let stores = try (0..<4).map { _ in
            try PostgresClusterStore(url: tested.server.url(tested.database), settings: tested.settings)
        }
        try await withThrowingTaskGroup(of: StoreAnswer.self) { group in
            for store in stores { group.addTask { try await store.perform(.find(SessionID(rawValue: "s"))) } }
            for try await answer in group {
                guard case .found(let placement?) = answer else {
                    Issue.record("\(answer)")
                    continue
                }
                #expect(placement.term == 5)
            }
        }
        #expect(try tested.sql("SELECT version FROM millrace_store") == "2")
        try tested.sql(insert + "'t', 't', 'a', 1, 1)")
        let home = RelayIdentity(id: RelayID(rawValue: "a"), incarnation: 1)
        for (id, term) in [("s", Int64(5)), ("t", 1)] {
            let id = SessionID(rawValue: id), tenure = SessionTenure(home: home, term: term)
            #expect(try await stores[0].perform(.save(id, tenure, SessionChanges(essence: "e"))) == .saved)
            #expect(try await stores[1].perform(.load(id, tenure)) == .loaded(StoredSession(essence: "e")))
        }
    }

    @Test("state with U+0000 is refused, and nothing of the save is written")
    func null() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        let placed = try await tested.claim("s", tested.register("a"))
        for changes in [SessionChanges(essence: "\0"), SessionChanges(essence: "e", seats: [seat: "\0"])] {
            await #expect(throws: StoreFailure.self) { try await tested.save(placed, changes) }
        }
        #expect(try await tested.load(placed) == StoredSession())
    }
}
