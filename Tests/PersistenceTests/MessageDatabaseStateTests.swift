import Cluster
import MillraceTestKit
import Persistence
import Testing

@Suite(
    "CLU-4 Examination of a database of conversations",
    .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct MessageDatabaseStateTests {
    private func reason(_ url: String) -> String? {
        do throws(StoreFailure) {
            _ = try MessageDatabaseState(url: url)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("An empty database is not changed, and one with tables is recognized")
    func tables() throws {
        let server = try PostgresServer.shared.get()
        let name = try server.makeDatabase()
        let empty = try MessageDatabaseState(url: server.url(name))
        #expect(!empty.hasTables && empty.allowsTables && empty.latency > .zero)
        let count = "SELECT count(*) FROM information_schema.schemata WHERE schema_name = 'millrace_messages'"
        #expect(try server.sql(count, database: name).contains("0"))

        let storage = try TestedStorage(.postgres)
        let database = try storage.open()
        defer { database.close() }
        let url = try #require(storage.url)
        let deadline = ContinuousClock.now + .seconds(60)
        while try !MessageDatabaseState(url: url).hasTables, ContinuousClock.now < deadline {}
        #expect(try MessageDatabaseState(url: url).hasTables)
    }

    @Test("Tables of another version are a failure, and so is a user who may not make tables")
    func refusals() throws {
        let server = try PostgresServer.shared.get()
        let name = try server.makeDatabase()
        _ = try server.sql(
            """
            CREATE SCHEMA millrace_messages; CREATE TABLE millrace_messages.meta (key text, value text);
            INSERT INTO millrace_messages.meta VALUES ('version', '99')
            """, database: name)
        #expect(reason(server.url(name))?.contains("version 99") == true)

        let other = try server.makeDatabase()
        let user = "guest_\(other)"
        _ = try server.sql("CREATE USER \(user)", database: other)
        let url = server.url(other).replacing("user=postgres", with: "user=\(user)")
        let state = try MessageDatabaseState(url: url)
        #expect(!state.hasTables && !state.allowsTables)
    }

    @Test("A database that does not answer, and an address that is none, are failures without the password")
    func unreachable() throws {
        for url in ["postgres://ada:secret@127.0.0.1:1/x", "http://ada:secret@127.0.0.1/x", "postgres://ada:se%ret@["] {
            let text = try #require(reason(url))
            #expect(!text.isEmpty && !text.contains("secret") && !text.contains("se%ret"), "\(text)")
        }
    }
}
