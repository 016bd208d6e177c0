import Foundation
import GRDB
import Messaging
import MillraceTestKit
import Persistence
import Signaling
import Synchronization
import Testing

@Suite struct DatabaseTests {
    static func open(_ folder: TemporaryFolder) throws -> MessageDatabase {
        try MessageDatabase(StorageConfiguration(directory: folder.path), wallClock: { 1_000 })
    }

    static func send(_ number: Int, from user: String = "ada", text: String = "hello") -> MessagingCommand {
        let request = SendMessageRequest(conversation: .peer("bob"), message: "m\(number)", text: text)
        return MessagingCommand(user: UserKey(app: "", id: user), action: .request(.sendMessage(request)))
    }

    static func history(_ count: Int = 100, before: Int64? = nil) -> MessagingCommand {
        let request = HistoryRequest(conversation: .peer("bob"), before: before, count: count)
        return MessagingCommand(user: UserKey(app: "", id: "ada"), action: .request(.history(request)))
    }

    /// Returns the texts of all messages, read in pages.
    static func texts(_ database: MessageDatabase) async throws -> [String] {
        var messages: [Message] = []
        while case .history(let page) = try await database.read(history(before: messages.first?.number)).get().answer {
            messages = page.messages + messages
            guard page.hasMore else { break }
        }
        return messages.map(\.text)
    }

    @Test(
        "CHT-9 an answered message is stored once after the database is opened again",
        arguments: TestedStorage.Kind.present)
    func again(_ kind: TestedStorage.Kind) async throws {
        let storage = try TestedStorage(kind)
        let database = try storage.open()
        let first = try await database.perform(Self.send(1, text: "a \u{0} b 🙂")).get()
        database.close()
        let second = try storage.open()
        #expect(try await second.perform(Self.send(1, text: "a \u{0} b 🙂")).get().answer == first.answer)
        #expect(try await Self.texts(second) == ["a \u{0} b 🙂"])
    }

    @Test("CHT-9 a copy of the database files at any time has all messages answered so far")
    func copy() async throws {
        let folder = TemporaryFolder()
        let database = try Self.open(folder)
        for number in 0..<50 { _ = try await database.perform(Self.send(number)).get() }
        // Files as after a kill: the write-ahead log is not checkpointed.
        let copy = TemporaryFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.path + "/messages.sqlite" + suffix, toPath: copy.path + "/messages.sqlite" + suffix)
        }
        let reopened = try Self.open(copy)
        #expect(try await Self.texts(reopened).count == 50)
        #expect(try reopened.integrityFault() == nil)
    }

    @Test(
        "commands that arrive during a commit are committed together and answered in order",
        arguments: TestedStorage.Kind.present)
    func group(_ kind: TestedStorage.Kind) async throws {
        let storage = try TestedStorage(kind)
        let database = try storage.open()
        let answered = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            for number in 0..<1_000 {
                database.submit(Self.send(number)) { _ in
                    let count = answered.withLock { numbers in
                        numbers.append(number)
                        return numbers.count
                    }
                    if count == 1_000 { continuation.resume() }
                }
            }
        }
        #expect(answered.withLock { $0 } == Array(0..<1_000))
        let statistics = database.statistics
        #expect(statistics.commands == 1_000 && statistics.commits < 500 && statistics.waiting == 0)
        #expect(try await Self.texts(database).count == 1_000)
    }

    /// Submits commands while the writer is blocked, and returns their failures in the order of the answers.
    static func submit(
        _ numbers: ClosedRange<Int>, to database: MessageDatabase,
        _ make: (Int) -> MessagingCommand = { DatabaseTests.send($0) }
    ) async -> [(number: Int, failure: StorageFailure?)] {
        let gate = DispatchSemaphore(value: 0)
        let answers = Mutex<[(number: Int, failure: StorageFailure?)]>([])
        // The first answer blocks the writer.
        database.submit(send(0)) { _ in gate.wait() }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            for number in numbers {
                database.submit(make(number)) { answer in
                    let count = answers.withLock { answers -> Int in
                        answers.append((number, answer.failure))
                        return answers.count
                    }
                    if count == numbers.count { continuation.resume() }
                }
            }
            gate.signal()
        }
        return answers.withLock { $0 }
    }

    @Test("a failing command does not affect other commands of its commit", arguments: TestedStorage.Kind.present)
    func failsAlone(_ kind: TestedStorage.Kind) async throws {
        let storage = try TestedStorage(kind)
        let database = try storage.open()
        // The tables exist after the first commit.
        _ = try await database.perform(Self.send(100)).get()
        try storage.refuseMessages(["m7", "m13"])
        let answers = await Self.submit(1...20, to: database)
        #expect(answers.map { $0.number } == Array(1...20))
        #expect(answers.filter { $0.failure != nil }.map { $0.number } == [7, 13])
        #expect(answers.compactMap { $0.failure }.allSatisfy { $0.answer.code == .storageFailed })
        #expect(database.statistics.failures == [.failed: 2])
        #expect(try await Self.texts(database).count == 20)
    }

    @Test(
        "a commit is bounded by the cost of its commands, not only by their number", arguments: [false, true],
        TestedStorage.Kind.present)
    func work(isGroup: Bool, _ kind: TestedStorage.Kind) async throws {
        let storage = try TestedStorage(kind)
        let database = try storage.open(change: { $0.batchCost = isGroup ? 10 : 1 })
        let ada = UserKey(app: "", id: "ada")
        let group = CreateGroupRequest(name: "g", members: (0..<10).map { "u\($0)" })
        _ = try await database.perform(
            MessagingCommand(user: ada, action: .request(.createGroup(group)), newGroup: "g")
        ).get()
        let before = database.statistics.commits
        let answers = await Self.submit(1...20, to: database) { number in
            let request = SendMessageRequest(
                conversation: isGroup ? .group("g") : .peer("bob"), message: "m\(number)", text: "x")
            return MessagingCommand(user: ada, action: .request(.sendMessage(request)))
        }
        #expect(answers.map { $0.number } == Array(1...20))
        #expect(answers.allSatisfy { $0.failure == nil })
        // The first message may be part of the commit of the command that blocks the writer.
        #expect([before + 20, before + 21].contains(database.statistics.commits))
        #expect(database.statistics.waiting == 0)
    }

    @Test("CHT-9 the writing connection syncs each commit to the disk")
    func synchronous() async throws {
        let folder = TemporaryFolder()
        let database = try Self.open(folder)
        #expect(try database.writerSynchronous() == 2)
        _ = try await database.perform(Self.send(1)).get()
        #expect(try database.writerSynchronous() == 2)
    }

    @Test(
        "a refused command is rolled back, and other commands of its commit are kept",
        arguments: TestedStorage.Kind.present)
    func refused(_ kind: TestedStorage.Kind) async throws {
        let storage = try TestedStorage(kind)
        let database = try storage.open()
        let full = (0..<501).map { "u\($0)" }
        let group = MessagingCommand(
            user: UserKey(app: "", id: "ada"), action: .request(.createGroup(.init(name: "g", members: full))),
            newGroup: "g")
        let results = await withTaskGroup(of: Result<MessagingAnswer, StorageFailure>.self) { tasks in
            for number in 0..<20 {
                tasks.addTask { await database.perform(number % 2 == 0 ? Self.send(number) : group).map(\.answer) }
            }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { (try? $0.get()) != nil } == 10)
        #expect(
            results.contains(
                .failure(
                    .refused(
                        .init(
                            .groupFull, "a group has at most 500 members", field: "members", limit: "limit.groupMembers"
                        )))))
        #expect(try await Self.texts(database).count == 10)
    }

    @Test("commands above the queue's limit are refused with an error", arguments: TestedStorage.Kind.present)
    func queue(_ kind: TestedStorage.Kind) async throws {
        let storage = try TestedStorage(kind)
        let database = try storage.open(change: { $0.queue = 10 })
        let gate = DispatchSemaphore(value: 0)
        let results = Mutex<[ErrorCode?]>([])
        // The first answer blocks the writer.
        database.submit(Self.send(0)) { _ in gate.wait() }
        await withCheckedContinuation { continuation in
            for number in 1...200 {
                database.submit(Self.send(number)) { answer in
                    let isLast = results.withLock { codes in
                        codes.append(answer.failure?.answer.code)
                        return codes.count == 200
                    }
                    if isLast { continuation.resume() }
                }
            }
            gate.signal()
        }
        let codes = results.withLock { $0 }
        #expect(codes.contains(.rateLimited))
        #expect(codes.count { $0 == nil } + codes.count { $0 == .rateLimited } == 200)
        #expect(try await Self.texts(database).count == min(codes.count { $0 == nil } + 1, 100))
    }

    @Test("a database of the first version is migrated")
    func firstVersion() async throws {
        let folder = TemporaryFolder()
        let database = try Self.open(folder)
        _ = try await database.perform(Self.send(1)).get()
        func group(_ id: String, _ request: MessagingRequest) -> MessagingCommand {
            MessagingCommand(user: UserKey(app: "", id: "ada"), action: .request(request), newGroup: id)
        }
        for id in ["one", "two"] {
            _ = try await database.perform(group(id, .createGroup(.init(name: id, members: ["eve"])))).get()
        }
        _ = try await database.perform(group("", .dismissGroup(.init(group: "two")))).get()
        database.close()
        let queue = try DatabaseQueue(path: folder.path + "/messages.sqlite")
        try await queue.write { db in
            try db.execute(
                sql: """
                    DROP TABLE receipt;
                    DROP INDEX thread_ended; DROP INDEX thread_creator; DROP INDEX entry_left;
                    ALTER TABLE user DROP COLUMN acted;
                    ALTER TABLE thread DROP COLUMN ended;
                    ALTER TABLE thread DROP COLUMN creator;
                    DELETE FROM grdb_migrations WHERE identifier LIKE '2 %';
                    """)
        }
        try queue.close()
        let again = try Self.open(folder)
        #expect(try await Self.texts(again) == ["hello"])
        #expect(try again.integrityFault() == nil)
        while case .success(.some) = await again.sweep(olderThan: nil) {}
        again.close()
        let reader = try DatabaseQueue(path: folder.path + "/messages.sqlite")
        let (creators, ended, users) = try await reader.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT count(*) FROM thread WHERE kind = 2 AND creator = a"),
                try Int.fetchOne(db, sql: "SELECT count(*) FROM thread WHERE ended > 0 AND dismissed = 1"),
                try Int.fetchOne(db, sql: "SELECT count(*) FROM user WHERE acted = 1")
            )
        }
        // Existing users are not treated as users who never logged in.
        #expect(creators == 2 && ended == 1 && users == 3)
        try reader.close()
    }

    @Test(
        "CHT-5 a user who never logged in is forgotten with its last group, and learns of the end of others",
        arguments: TestedStorage.Kind.present)
    func strangers(_ kind: TestedStorage.Kind) async throws {
        let storage = try TestedStorage(kind)
        let database = try storage.open()
        func command(_ user: String, _ request: MessagingRequest, group: String = "") -> MessagingCommand {
            MessagingCommand(user: UserKey(app: "", id: user), action: .request(request), newGroup: group)
        }
        func make(_ group: String, by user: String, _ members: [String]) async throws {
            let request = CreateGroupRequest(name: group, members: members)
            _ = try await database.perform(command(user, .createGroup(request), group: group)).get()
        }
        func dismiss(_ group: String, by user: String) async throws {
            _ = try await database.perform(command(user, .dismissGroup(.init(group: group)))).get()
            while case .success(.some) = await database.sweep(olderThan: nil) {}
        }
        func changes(_ user: String, since: Int64 = 0) async throws -> ConversationChangesRequest.Answer {
            let request = ConversationChangesRequest(since: since, count: 10)
            let answer = try await database.read(command(user, .conversationChanges(request))).get().answer
            guard case .changes(let page) = answer else { throw SignalingError(.internalError) }
            return page
        }
        try await make("one", by: "bob", ["xan", "yan"])
        try await make("two", by: "ada", ["xan"])
        try await make("three", by: "bob", ["zoe"])
        let message = SendMessageRequest(conversation: .peer("zoe"), message: "m", text: "hello")
        _ = try await database.perform(command("ada", .sendMessage(message))).get()
        let xan = try await changes("xan")
        let yan = try await changes("yan")
        let zoe = try await changes("zoe")
        for group in ["one", "three"] { try await dismiss(group, by: "bob") }
        for (user, known, group) in [("xan", xan, "one"), ("zoe", zoe, "three")] {
            let page = try await changes(user, since: known.cursor)
            #expect(page.store == known.store && page.deleted.map(\.ref) == [.group(group)])
        }
        #expect(try await changes("yan", since: yan.cursor).store != yan.store)
        try await dismiss("two", by: "ada")
        #expect(try await changes("xan", since: xan.cursor).store != xan.store)
        // A user without conversations that another user's conversation still names.
        while case .success(false) = await database.removeSlice(of: UserKey(app: "", id: "zoe")) {}
        try await make("four", by: "bob", ["zoe"])
        try await dismiss("four", by: "bob")
        #expect(try await changes("zoe").deleted.map(\.ref) == [.group("four")])
        #expect(try database.integrityFault() == nil)
        database.close()
        #expect(try storage.identities() == ["ada", "bob", "zoe"])
    }

    @Test("other users of the host cannot read the files")
    func permissions() async throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/store"
        let database = try MessageDatabase(StorageConfiguration(directory: path), wallClock: { 0 })
        _ = try await database.perform(Self.send(1)).get()
        for (name, mode) in [("", 0o700), ("/messages.sqlite", 0o600), ("/messages.sqlite-wal", 0o600)] {
            #expect(try Int(Status(path + name).value.st_mode) & 0o777 == mode, "\(name)")
        }
        #expect(database.bytes > 4_096)
    }

    @Test("the size of the write-ahead log is bounded")
    func checkpoint() async throws {
        let folder = TemporaryFolder()
        var configuration = StorageConfiguration(directory: folder.path)
        configuration.checkpointBytes = 64 << 10
        let database = try MessageDatabase(configuration, wallClock: { 0 })
        let log = folder.path + "/messages.sqlite-wal"
        let text = String(repeating: "x", count: 8_000)
        func size() -> Int { (try? Status(log)).map { Int($0.value.st_size) } ?? 0 }
        // Checkpoints during writes keep the log below the bound; without a pause for them the log is truncated.
        let bound = 4 * configuration.checkpointBytes
        for round in 0..<3 {
            // On a slow machine the log may be truncated between two writes.
            var largest = 0
            for number in 0..<50 {
                _ = try await database.perform(Self.send(50 * round + number, text: text)).get()
                largest = max(largest, size())
            }
            #expect(largest > configuration.checkpointBytes)
            // Concurrent reads continue and do not prevent the checkpoint.
            let start = ContinuousClock.now
            while size() >= bound, ContinuousClock.now - start < .seconds(60) { _ = try await Self.texts(database) }
            #expect(size() < bound)
        }
        #expect(try await Self.texts(database).count == 150)
    }
}

extension Result {
    var failure: Failure? {
        switch self {
        case .success: nil
        case .failure(let error): error
        }
    }
}
