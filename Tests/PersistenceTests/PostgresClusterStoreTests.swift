import Cluster
import ClusterTestKit
import Glibc
import MillraceTestKit
import Persistence
import Testing

/// The store of a cluster in a real database, also when the database fails.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresClusterStoreTests {
    private static let relay = RelayDescription(
        id: RelayID(rawValue: "a"), link: "10.0.0.1:7881", fingerprint: String(repeating: "0", count: 64),
        region: "", version: "1", linkVersion: 1)

    private func failure(_ body: () async throws -> some Any) async -> StoreFailure? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? StoreFailure
        }
    }

    /// Repeats a request until it succeeds; nil if it did not within 60 s.
    private func firstSuccess(_ store: PostgresClusterStore, _ request: StoreRequest) async -> StoreAnswer? {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(60) {
            if let answer = try? await store.perform(request) { return answer }
        }
        return nil
    }

    @Test("the database", arguments: StoreBehaviour.all)
    func behaviour(_ behaviour: StoreBehaviour) async throws {
        try await behaviour.run(PostgresTestedStore(PostgresServer.shared.get()))
    }

    @Test("a lost connection is replaced without a failed request")
    func idle() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        _ = try await tested.store.perform(.register(Self.relay, RelayLoad()))
        _ = try await tested.store.perform(.list(limit: 1))
        #expect(try tested.backends().count == 2)
        for pid in try tested.backends() { try tested.sql("SELECT pg_terminate_backend(\(pid), 10000)") }
        _ = try await tested.store.perform(.register(Self.relay, RelayLoad()))
        _ = try await tested.store.perform(.list(limit: 1))
    }

    @Test("requests fail while the database is down, and succeed when it is back")
    func restart() async throws {
        let tested = try PostgresTestedStore(PostgresServer())
        guard case .registered(let identity, _) = try await tested.store.perform(.register(Self.relay, RelayLoad()))
        else { throw StoreFailure("not registered") }
        tested.server.stop()
        let start = ContinuousClock.now
        #expect(await failure { try await tested.store.perform(.beat(identity, RelayLoad())) } != nil)
        #expect(await failure { try await tested.store.perform(.list(limit: 1)) } != nil)
        // Twice the limit of one request.
        #expect(ContinuousClock.now - start < .seconds(20))
        try tested.server.start()
        guard case .beaten(let relays) = await firstSuccess(tested.store, .beat(identity, RelayLoad())) else {
            Issue.record("no heartbeat after the restart")
            return
        }
        #expect(relays.map(\.identity) == [identity])
        #expect(await firstSuccess(tested.store, .list(limit: 1)) != nil)
    }

    @Test("the tables are made again if the database was replaced by an empty one")
    func emptied() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        guard case .registered(let identity, _) = try await tested.store.perform(.register(Self.relay, RelayLoad()))
        else { throw StoreFailure("not registered") }
        try tested.sql("DROP TABLE millrace_store, millrace_relay, millrace_session, millrace_seat")
        #expect(try await tested.store.perform(.beat(identity, RelayLoad())) == .beatRefused(isReplaced: false))
    }

    @Test("a late heartbeat whose commit a take-over has to wait for keeps the session")
    func lateHeartbeat() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        let a = try await tested.register("a"), b = try await tested.register("b")
        let placed = try await tested.claim("s", a)
        try tested.age(a.id, by: tested.settings.leaseTime)
        // The heartbeat's row is locked until the take-over waits for it.
        async let heartbeat: Void = tested.sql(
            "UPDATE millrace_relay SET expires = now() + interval '1 hour' WHERE id = 'a'",
            until: PostgresTestedStore.isAwaited)
        try await tested.waitForTransaction()
        let claimed = try await tested.claim("s", b)
        try await heartbeat
        #expect(claimed == placed)
    }

    @Test("relays that start at the same time make the tables once")
    func together() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        let stores = try (0..<8).map { _ in
            try PostgresClusterStore(url: tested.server.url(tested.database), settings: tested.settings)
        }
        try await withThrowingTaskGroup(of: StoreAnswer.self) { group in
            for store in stores { group.addTask { try await store.perform(.list(limit: 1)) } }
            for try await answer in group { #expect(answer == .listing([], [])) }
        }
    }

    @Test("a host that is down is skipped")
    func hosts() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        let url = tested.server.url(tested.database, deadHost: "127.0.0.1")
        let store = try PostgresClusterStore(url: url, settings: tested.settings)
        #expect(try await store.perform(.list(limit: 1)) == .listing([], []))
    }

    @Test(
        "a faulty address is refused at once, without its password",
        arguments: [
            "", "millrace", "host=db password=secret", "postgres//u:secret@db/millrace", "http://u:secret@db/",
            "postgres://u:secret%zz@db/", "postgres://u:secret@[::1/", "postgres://u:sec\"ret@db/?secret=1",
            "postgres://u:secret@db/?password",
        ])
    func address(_ url: String) async throws {
        let failure = try #require(
            await failure { try PostgresClusterStore(url: url, settings: ClusterSettings()) })
        #expect(failure.reason.contains("address of the database"))
        #expect(!failure.reason.contains("secret") && !failure.reason.contains("ret@"))
    }

    @Test("a failure names the host and the database, and not the password")
    func password() async throws {
        let store = try PostgresClusterStore(
            url: "postgres://ada:secret@127.0.0.1:1/millrace", settings: ClusterSettings())
        let failure = try #require(await failure { try await store.perform(.list(limit: 1)) })
        #expect(failure.reason.contains("127.0.0.1") && failure.reason.contains("millrace"))
        #expect(!failure.reason.contains("secret"))
    }

    @Test("tables of a newer version are refused and left unchanged")
    func newer() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        _ = try await tested.store.perform(.register(Self.relay, RelayLoad()))
        try tested.sql("UPDATE millrace_store SET version = 3")
        let later = try PostgresClusterStore(url: tested.server.url(tested.database), settings: tested.settings)
        let failure = try #require(await failure { try await later.perform(.register(Self.relay, RelayLoad())) })
        #expect(failure.reason.contains("version 3"))
        #expect(try tested.sql("SELECT version FROM millrace_store") == "3")
    }

    @Test("a database that does not answer delays a request by a few seconds, and the next one uses a new connection")
    func frozen() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        _ = try await tested.store.perform(.list(limit: 1))
        let stopped = try tested.backends()
        for pid in stopped { kill(pid, SIGSTOP) }
        defer { for pid in stopped { kill(pid, SIGCONT) } }
        let start = ContinuousClock.now
        let failure = await failure { try await tested.store.perform(.list(limit: 1)) }
        #expect(failure?.reason.contains("did not answer") == true)
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(try await tested.store.perform(.list(limit: 1)) == .listing([], []))
    }

    @Test("requests beyond the limit fail at once, and the others when the store is closed")
    func limit() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        let store = try PostgresClusterStore(
            url: tested.server.url(tested.database), settings: tested.settings, maximumRequests: 1)
        _ = try await store.perform(.list(limit: 1))
        let stopped = try tested.backends()
        for pid in stopped { kill(pid, SIGSTOP) }
        defer { for pid in stopped { kill(pid, SIGCONT) } }
        let reasons = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<2 { group.addTask { await failure { try await store.perform(.list(limit: 1)) }?.reason } }
            let first = await group.next()!
            store.close()
            return [first, await group.next()!]
        }
        #expect(reasons[0]?.contains("1 requests wait") == true)
        #expect(reasons[1] == "the store was closed")
        #expect(await failure { try await store.perform(.list(limit: 1)) }?.reason == "the store was closed")
    }

    @Test("a value with U+0000 is refused")
    func null() async throws {
        let tested = try PostgresTestedStore(PostgresServer.shared.get())
        var description = Self.relay
        description.region = "a\0b"
        let request = StoreRequest.register(description, RelayLoad())
        let failure = await failure { try await tested.store.perform(request) }
        #expect(failure?.reason.contains("U+0000") == true)
        #expect(try await tested.store.perform(.list(limit: 1)) == .listing([], []))
    }
}
