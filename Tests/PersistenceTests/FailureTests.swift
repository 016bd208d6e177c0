import Foundation
import GRDB
import Messaging
import MillraceTestKit
import Persistence
import Signaling
import Synchronization
import Testing

/// Real disk failures; none of them ends the process or damages stored data.
@Suite struct FailureTests {
    private func open(_ path: String, _ change: (inout StorageConfiguration) -> Void = { _ in }) throws
        -> MessageDatabase
    {
        var configuration = StorageConfiguration(directory: path)
        configuration.busyTimeout = 0.2
        change(&configuration)
        return try MessageDatabase(configuration, wallClock: { 1_000 })
    }

    private func kind(_ body: () throws -> some Any) -> StorageError.Kind? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? StorageError)?.kind
        }
    }

    private func kind(_ answer: MessageDatabase.Answer) -> StorageError.Kind? {
        if case .failed(let error) = answer.failure { error.kind } else { nil }
    }

    @Test("a full store refuses messages, keeps stored ones, and accepts messages again once there is space")
    func full() async throws {
        let folder = TemporaryFolder()
        let text = String(repeating: "x", count: 8_000)
        do {
            let database = try open(folder.path) { $0.maximumMegabytes = 1 }
            var stored = 0
            var last: MessageDatabase.Answer?
            for number in 0..<500 {
                last = await database.perform(DatabaseTests.send(number, text: text))
                guard case .success = last else { break }
                stored += 1
            }
            let answer = try #require(last)
            #expect(kind(answer) == .diskFull)
            #expect(answer.failure?.answer.code == .storageFailed)
            #expect(answer.failure?.answer.retryAfter == 60)
            #expect(database.statistics.failures == [.diskFull: 1])
            #expect((50..<500).contains(stored))
            // Reading still works.
            #expect(try await DatabaseTests.texts(database).count == stored)
            database.close()
        }
        let database = try open(folder.path)
        _ = try await database.perform(DatabaseTests.send(1_000)).get()
        #expect(try database.integrityFault() == nil)
    }

    @Test("a full disk causes refusals, and answered messages stay", .enabled(if: geteuid() == 0))
    func tmpfs() async throws {
        let folder = TemporaryFolder()
        let mount = try Mount(on: folder.path, arguments: ["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        defer { mount.end() }
        let database = try open(folder.path)
        let text = String(repeating: "x", count: 8_000)
        var stored = 0
        var last: MessageDatabase.Answer?
        for number in 0..<500 {
            last = await database.perform(DatabaseTests.send(number, text: text))
            guard case .success = last else { break }
            stored += 1
        }
        #expect(kind(try #require(last)) == .diskFull)
        #expect(stored > 10)
        #expect(try await DatabaseTests.texts(database).count == stored)
        database.close()
    }

    @Test("a failed checkpoint of the write-ahead log is counted and reported", .enabled(if: geteuid() == 0))
    func checkpoint() async throws {
        let folder = TemporaryFolder()
        let mount = try Mount(on: folder.path, arguments: ["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        defer { mount.end() }
        let database = try open(folder.path) { $0.checkpointBytes = 64 << 10 }
        defer { database.close() }
        let told = Mutex<[StorageError.Kind]>([])
        database.reportFailures { error in told.withLock { $0.append(error.kind) } }
        let text = String(repeating: "x", count: 8_000)
        var refused: UInt64 = 0
        for number in 0..<500 where refused == 0 {
            if case .failure = await database.perform(DatabaseTests.send(number, text: text)) { refused += 1 }
        }
        // The log has filled the disk, so there is no space for the checkpoint.
        let start = ContinuousClock.now
        while told.withLock({ $0.isEmpty }), ContinuousClock.now - start < .seconds(120) {
            // Reading still works.
            #expect(try await !DatabaseTests.texts(database).isEmpty)
        }
        #expect(told.withLock { $0.first } == .diskFull)
        #expect(database.statistics.failures[.diskFull, default: 0] > refused)
    }

    @Test("a directory without write permission is reported", .enabled(if: geteuid() == 0))
    func readOnly() async throws {
        let folder = TemporaryFolder()
        let database = try open(folder.path)
        _ = try await database.perform(DatabaseTests.send(1)).get()
        database.close()
        let mount = try Mount(on: folder.path, arguments: ["--bind", folder.path], isReadOnly: true)
        #expect(kind { try open(folder.path) } == .readOnly)
        mount.end()
        #expect(kind { try open("/proc/millrace") } == .directory)
        #expect(try await DatabaseTests.texts(open(folder.path)).count == 1)
    }

    @Test("a second relay on the same directory is refused")
    func twice() async throws {
        let folder = TemporaryFolder()
        let database = try open(folder.path)
        #expect(kind { try open(folder.path) } == .locked)
        _ = try await database.perform(DatabaseTests.send(1)).get()
    }

    @Test("the store waits for another program's lock, then reports it")
    func locked() async throws {
        let folder = TemporaryFolder()
        let database = try open(folder.path)
        var settings = Configuration()
        settings.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: folder.path + "/messages.sqlite", configuration: settings)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let refused = await database.perform(DatabaseTests.send(1))
        #expect(kind(refused) == .locked)
        #expect(refused.failure?.answer.retryAfter == 1)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        _ = try await database.perform(DatabaseTests.send(1)).get()
    }

    @Test(
        "a file that is not a valid database is reported and left unchanged", arguments: ["header", "middle", "text"])
    func corrupted(_ how: String) async throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/messages.sqlite"
        do {
            let database = try open(folder.path)
            let text = String(repeating: "x", count: 8_000)
            for number in 0..<40 { _ = try await database.perform(DatabaseTests.send(number, text: text)).get() }
            database.close()
        }
        var bytes = try Data(contentsOf: URL(filePath: path))
        switch how {
        case "header": bytes.replaceSubrange(0..<100, with: Data(repeating: 0xA5, count: 100))
        case "middle": bytes.replaceSubrange(4_096..<90_112, with: Data(repeating: 0xA5, count: 86_016))
        default: bytes = Data("These are not the tables you are looking for. ".utf8) + Data(repeating: 32, count: 8_192)
        }
        try bytes.write(to: URL(filePath: path))
        do {
            _ = try open(folder.path)
            Issue.record("opened")
        } catch let error as StorageError {
            #expect(error.kind == .corrupted)
            #expect(error.advice.contains("backup"))
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }

    @Test("damage that is found later is an error for the affected request, and other requests work")
    func damagedLater() async throws {
        let folder = TemporaryFolder()
        let database = try open(folder.path)
        let text = String(repeating: "x", count: 8_000)
        for number in 0..<300 { _ = try await database.perform(DatabaseTests.send(number, text: text)).get() }
        try await database.checkpoint()
        let file = try FileHandle(forWritingTo: URL(filePath: folder.path + "/messages.sqlite"))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4_096))
        try file.close()
        var kinds: Set<StorageError.Kind?> = []
        for number in 0..<5 {
            let request = HistoryRequest(conversation: .peer("bob"), before: Int64(100 - number), count: 100)
            let command = MessagingCommand(user: UserKey(app: "", id: "ada"), action: .request(.history(request)))
            kinds.insert(kind(await database.read(command)))
        }
        #expect(kinds.contains(.corrupted))
    }

    @Test("a store of a newer version is refused and left unchanged")
    func newer() async throws {
        let folder = TemporaryFolder()
        try open(folder.path).close()
        let other = try DatabaseQueue(path: folder.path + "/messages.sqlite")
        try await other.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 later')") }
        try other.close()
        #expect(kind { try open(folder.path) } == .newer)
    }

    @Test("every kind of error has advice, and its answer to users has no path", arguments: StorageError.Kind.allCases)
    func texts(_ kind: StorageError.Kind) {
        let error = StorageError(kind, "/secret/path")
        #expect(!error.advice.isEmpty)
        #expect(error.answer.code == .storageFailed)
        #expect(!error.answer.message.contains("secret"))
        #expect(error.description.contains("/secret/path"))
    }
}
