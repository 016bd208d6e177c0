import Messaging
import MessagingTestKit
import MillraceTestKit
import Signaling
import Synchronization
import Testing

@testable import Persistence

/// Copies of a directory's conversations into a PostgreSQL database.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct MessageCopyTests {
    /// Returns the failure of a copy; nil if it succeeded.
    private func failure(_ from: TestedStorage, _ to: TestedStorage) -> MessageCopy.Failure? {
        do {
            _ = try copy(from, to)
            return nil
        } catch let failure as MessageCopy.Failure {
            return failure
        } catch {
            return .failed(StorageError(error))
        }
    }

    private func kind(_ from: TestedStorage, _ to: TestedStorage) -> StorageError.Kind? {
        if case .failed(let error) = failure(from, to) { error.kind } else { nil }
    }

    /// Returns a directory with random conversations, and an empty database.
    private func filled() async throws -> (from: TestedStorage, to: TestedStorage) {
        let from = try TestedStorage(.sqlite), to = try TestedStorage(.postgres)
        let time = Mutex(Int64(0))
        let database = try from.open(limits: RandomConversations.limits, wallClock: { time.withLock { $0 } })
        var run = RandomConversations(app: "app", random: SeededGenerator(seed: 7)) { command, now in
            time.withLock { $0 = now }
            return await (command.isReading ? database.read(command) : database.perform(command)).mapError(\.answer)
        }
        for _ in 0..<400 { await run.step() }
        #expect(run.faults == [])
        let texts = ["\u{0}", "a \u{0} b 🙂", "'\"\\x00\\", String(repeating: "ä", count: 4_000)]
        for (number, text) in texts.enumerated() {
            _ = try await database.perform(DatabaseTests.send(number, text: text)).get()
        }
        database.close()
        return (from, to)
    }

    private func copy(_ from: TestedStorage, _ to: TestedStorage) throws -> MessageCopy.Result {
        guard case .directory(let directory) = from.configuration.location,
            case .url(let url) = to.configuration.location
        else { throw StorageError(.failed, "wrong kinds") }
        let copy = try MessageCopy(directory: directory, url: url)
        defer { copy.close() }
        return try copy.run { _ in }
    }

    private func records(_ connection: some MessageConnection, _ table: MessageTable) throws -> Set<[MessageValue]> {
        Set(try connection.rows(table.selection, []) { try table.values($0) })
    }

    @Test("CLU-4 a copy has every record of the directory, and relays continue with it")
    func complete() async throws {
        let (from, to) = try await filled()
        let result = try copy(from, to)
        guard case .directory(let directory) = from.configuration.location,
            case .url(let url) = to.configuration.location
        else { return }
        let source = try SQLiteMessages(directory: directory, from.configuration, MessageReports())
        let library = try PostgresLibrary.shared.get()
        let connection = try PostgresConnection(PostgresAddress(url, library), library, isCancelled: { false })
        try connection.prepareMessages(listens: false)
        let target = PostgresTransaction(connection: connection)
        for table in MessageTable.all {
            let original = try await source.pool.read { try records(SQLiteConnection(db: $0), table) }
            let copied = try records(target, table)
            #expect(copied == original, "\(table.name)")
            #expect(!original.isEmpty || table.name == "receipt", "\(table.name)")
        }
        #expect(try target.rows(MessageTable.all[3].count, []) { try $0.count("value") } == [result.messages])
        source.close(waits: true)
        // Both answer a known cursor in the same way, and new rows get new ids.
        let (old, new) = (try from.open(), try to.open())
        defer { [old, new].forEach { $0.close() } }
        let changes = MessagingCommand(
            user: UserKey(app: "", id: "ada"),
            action: .request(.conversationChanges(ConversationChangesRequest(since: 0, count: 100))))
        #expect(try await new.read(changes).get() == old.read(changes).get())
        for database in [old, new] {
            _ = try await database.perform(DatabaseTests.send(1, from: "someone new")).get()
            #expect(try database.integrityFault() == nil)
        }
    }

    @Test("a database with conversations is refused and left unchanged")
    func notEmpty() async throws {
        let (from, to) = try await filled()
        let database = try to.open()
        _ = try await database.perform(DatabaseTests.send(1)).get()
        database.close()
        #expect(failure(from, to) == .notEmpty)
        #expect(try to.sql("SELECT count(*) FROM millrace_messages.message") == "1")
    }

    @Test("nothing is copied if one row cannot be, and a repetition copies everything")
    func atomic() async throws {
        let (from, to) = try await filled()
        try to.open().probe()
        try to.refuseMessages(["m3"])
        #expect(kind(from, to) == .failed)
        #expect(try to.sql("SELECT count(*) FROM millrace_messages.\"user\"") == "0")
        try to.sql("ALTER TABLE millrace_messages.message DROP CONSTRAINT message_client_check")
        #expect(try copy(from, to).messages > 4)
    }

    @Test("a directory that a relay uses, or that has no conversations, is refused")
    func source() throws {
        let from = try TestedStorage(.sqlite), to = try TestedStorage(.postgres)
        #expect(kind(from, to) == .directory)
        let database = try from.open()
        defer { database.close() }
        #expect(kind(from, to) == .locked)
    }
}
