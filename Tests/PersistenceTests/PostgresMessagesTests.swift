import Foundation
import Messaging
import MillraceTestKit
import Persistence
import Signaling
import Synchronization
import Testing

/// Conversations in a real PostgreSQL database that several relays use, also when it fails.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresMessagesTests {
    private func storage() throws -> TestedStorage { try TestedStorage(.postgres) }

    private static func kind(_ answer: MessageDatabase.Answer) -> StorageError.Kind? {
        if case .failed(let error) = answer.failure { error.kind } else { nil }
    }

    private static func kind(_ body: () throws -> some Any) -> StorageError.Kind? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? StorageError)?.kind
        }
    }

    /// News of a relay, in order.
    private final class Received: Sendable {
        private let news = Mutex<[MessageNews]>([])

        init(_ database: MessageDatabase) {
            database.reportNews { [weak self] item in self?.add(item) }
        }

        func add(_ item: MessageNews) { news.withLock { $0.append(item) } }

        var all: [MessageNews] { news.withLock { $0 } }

        /// Texts of the announced messages.
        var texts: [String] {
            all.flatMap { item -> [String] in
                guard case .announced(let announcement) = item else { return [] }
                return announcement.deliveries.compactMap { delivery in
                    guard case .messageReceived(let body) = delivery.event, delivery.users == ["bob"] else {
                        return nil
                    }
                    return body.message.text
                }
            }
        }

        /// Waits at most 60 s.
        func wait(until condition: (Received) -> Bool) async {
            let start = ContinuousClock.now
            while !condition(self), ContinuousClock.now - start < .seconds(60) { await Task.yield() }
        }
    }

    /// Numbers of messages to bob in the order in which each of two relays would send them.
    private final class Orders: Sendable {
        private let numbers = Mutex<[[Int64]]>([[], []])

        var all: [[Int64]] { numbers.withLock { $0 } }

        func add(_ deliveries: [MessageDelivery], at index: Int) {
            for delivery in deliveries where delivery.users == ["bob"] {
                if case .messageReceived(let body) = delivery.event {
                    numbers.withLock { $0[index].append(body.message.number) }
                }
            }
        }
    }

    /// Answers of a run in which connections end.
    private final class Outcomes: Sendable {
        struct State {
            var answers: [Int: MessagingAnswer] = [:]
            var failures: Set<StorageError.Kind> = []
            var isOver = false
        }

        private let state = Mutex(State())

        var now: State { state.withLock { $0 } }

        /// Returns whether the answer is a success.
        func add(_ answer: MessageDatabase.Answer, to number: Int) -> Bool {
            state.withLock { state in
                switch answer {
                case .success(let outcome):
                    state.answers[number] = outcome.answer
                    return true
                case .failure:
                    if let kind = PostgresMessagesTests.kind(answer) { state.failures.insert(kind) }
                    return false
                }
            }
        }

        func end() { state.withLock { $0.isOver = true } }
    }

    @Test("CLU-4 a commit of one relay is announced to the others in order, with any text, and not to itself")
    func announced() async throws {
        let storage = try storage()
        let (first, second) = (try storage.open(), try storage.open())
        defer { [first, second].forEach { $0.close() } }
        let (own, other) = (Received(first), Received(second))
        // A relay is told of what is committed after its first connection.
        _ = try await second.perform(DatabaseTests.send(0, from: "eve")).get()
        let texts = (1...50).map { "\($0) \u{0} 🙂 \" \\" }
        for (number, text) in texts.enumerated() {
            _ = try await first.perform(DatabaseTests.send(number + 1, text: text)).get()
        }
        await other.wait { $0.texts.count >= 50 }
        #expect(other.texts == texts)
        await own.wait { $0.texts.count >= 1 || $0.all.isEmpty }
        #expect(own.texts.filter { texts.contains($0) } == [])
    }

    @Test("CLU-4 two relays that write at once give one order, in which each tells its users of all messages")
    func together() async throws {
        let storage = try storage()
        let databases = [try storage.open(), try storage.open()]
        defer { databases.forEach { $0.close() } }
        let orders = Orders()
        for (index, database) in databases.enumerated() {
            database.reportNews { news in
                if case .announced(let announcement) = news { orders.add(announcement.deliveries, at: index) }
            }
            // Waits for the first connection; eve's conversation is another one.
            _ = try await database.perform(
                MessagingCommand(user: UserKey(app: "", id: "eve"), action: .login(name: nil))
            ).get()
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                        let index = number % 2
                        databases[index].submit(DatabaseTests.send(number)) { answer in
                            orders.add((try? answer.get())?.deliveries ?? [], at: index)
                            continuation.resume()
                        }
                    }
                }
            }
        }
        let start = ContinuousClock.now
        while orders.all.contains(where: { $0.count < 400 }), ContinuousClock.now - start < .seconds(60) {
            await Task.yield()
        }
        #expect(orders.all == [Array(1...400), Array(1...400)])
    }

    @Test("CLU-4 messages are stored once, whenever connections end, and a repeated one gets the first answer")
    func killed() async throws {
        let storage = try storage()
        let databases = [try storage.open(), try storage.open()]
        defer { databases.forEach { $0.close() } }
        for database in databases { try database.probe() }
        let outcomes = Outcomes()
        async let kills: Int = Task.detached {
            var count = 0
            while !outcomes.now.isOver {
                try storage.endConnections()
                count += 1
            }
            return count
        }.value
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<40 {
                group.addTask {
                    for number in (sender * 20)..<(sender * 20 + 20) {
                        // A client sends a message again until it is answered, through any relay.
                        for attempt in 0..<10_000 {
                            let answer = await databases[(number + attempt) % 2].perform(DatabaseTests.send(number))
                            if outcomes.add(answer, to: number) { break }
                            await Task.yield()
                        }
                    }
                }
            }
        }
        outcomes.end()
        #expect(try await kills > 0)
        #expect(outcomes.now.failures.isSubset(of: [.unreachable, .locked]))
        var stored: [Message] = []
        while case .success(let outcome) = await databases[0].read(
            DatabaseTests.history(before: stored.first?.number)),
            case .history(let page) = outcome.answer
        {
            stored = page.messages + stored
            guard page.hasMore else { break }
        }
        #expect(stored.map(\.number) == Array(1...800))
        #expect(Set(stored.map(\.id)) == Set((0..<800).map { "m\($0)" }))
        let numbers = Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0) })
        for (number, answer) in outcomes.now.answers {
            let message = try #require(numbers["m\(number)"])
            #expect(answer == .sent(.init(number: message.number, time: message.time)))
        }
        #expect(try databases[0].integrityFault() == nil)
    }

    @Test("CLU-4 a lost connection is replaced without a failed command")
    func idle() async throws {
        let storage = try storage()
        let database = try storage.open()
        defer { database.close() }
        _ = try await database.perform(DatabaseTests.send(1)).get()
        #expect(try await DatabaseTests.texts(database).count == 1)
        try storage.endConnections()
        _ = try await database.perform(DatabaseTests.send(2)).get()
        #expect(try await DatabaseTests.texts(database).count == 2)
    }

    @Test("CLU-4 a relay that was cut off for long is told that it missed events, and then of later ones")
    func missed() async throws {
        let storage = try storage()
        let (first, second) = (try storage.open(), try storage.open())
        defer { [first, second].forEach { $0.close() } }
        let other = Received(second)
        _ = try await second.perform(DatabaseTests.send(0, from: "eve")).get()
        _ = try await first.perform(DatabaseTests.send(1, text: "one")).get()
        await other.wait { $0.texts == ["one"] }
        // Stands for the removal of the announcements of many commits.
        try storage.sql(
            "UPDATE millrace_messages.announcements SET last = last + 100, removed = last + 100; NOTIFY millrace_messages"
        )
        await other.wait { $0.all.contains(.missed) }
        #expect(other.all.count { $0 == .missed } == 1)
        _ = try await first.perform(DatabaseTests.send(2, text: "two")).get()
        await other.wait { $0.texts.last == "two" }
        #expect(other.texts == ["one", "two"])
    }

    /// Stands for a commit of another relay.
    private func announce(_ events: String, in storage: TestedStorage) throws {
        try storage.sql(
            """
            WITH next AS (UPDATE millrace_messages.announcements SET last = last + 1 RETURNING last)
            INSERT INTO millrace_messages.announcement (number, tag, at, events)
            SELECT last, 1, clock_timestamp(), convert_to(\(events), 'UTF8') FROM next; NOTIFY millrace_messages
            """)
    }

    @Test("CLU-4 events that a relay cannot read are reported as missed, and later ones are told")
    func unknownEvents() async throws {
        let storage = try storage()
        let (first, second) = (try storage.open(), try storage.open())
        defer { [first, second].forEach { $0.close() } }
        let other = Received(second)
        _ = try await second.perform(DatabaseTests.send(0, from: "eve")).get()
        try announce("'[{\"app\": \"\", \"deliveries\": [{\"users\": [\"bob\"], \"event\": {}}]}]'", in: storage)
        await other.wait { $0.all.contains(.missed) }
        _ = try await first.perform(DatabaseTests.send(1, text: "one")).get()
        await other.wait { $0.texts == ["one"] }
        #expect(other.all.first == .missed && other.texts == ["one"])
    }

    @Test("CLU-4 large announcements are read one after the other, and none is left out")
    func largeAnnouncements() async throws {
        let storage = try storage()
        let (first, second) = (try storage.open(), try storage.open())
        defer { [first, second].forEach { $0.close() } }
        let other = Received(second)
        _ = try await second.perform(DatabaseTests.send(0, from: "eve")).get()
        for number in 1...100 {
            // Spaces behind a list without events.
            if number % 10 == 0 { try announce("rpad('[]', 900000)", in: storage) }
            _ = try await first.perform(DatabaseTests.send(number, text: "\(number)")).get()
        }
        await other.wait { $0.texts.count >= 100 }
        #expect(other.texts == (1...100).map(String.init) && !other.all.contains(.missed))
    }

    @Test("commands fail while the database is down, and succeed when it is back")
    func restart() async throws {
        let server = try PostgresServer()
        let storage = try TestedStorage(server)
        let database = try storage.open()
        defer { database.close() }
        _ = try await database.perform(DatabaseTests.send(1)).get()
        server.stop()
        let refused = await database.perform(DatabaseTests.send(2))
        #expect(Self.kind(refused) == .unreachable)
        #expect(refused.failure?.answer.code == .storageFailed && refused.failure?.answer.retryAfter == 1)
        #expect(Self.kind(await database.read(DatabaseTests.history())) == .unreachable)
        try server.start()
        let start = ContinuousClock.now
        while Self.kind(await database.perform(DatabaseTests.send(2))) != nil,
            ContinuousClock.now - start < .seconds(60)
        {}
        while Self.kind(await database.read(DatabaseTests.history())) != nil, ContinuousClock.now - start < .seconds(60)
        {}
        #expect(try await DatabaseTests.texts(database).count == 2)
    }

    @Test("a relay that stops within a transaction delays the others for a few seconds")
    func locked() async throws {
        let storage = try storage()
        let database = try storage.open()
        defer { database.close() }
        _ = try await database.perform(DatabaseTests.send(1)).get()
        let holder = Task {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    _ = try? storage.sql("SELECT pg_advisory_lock(\(Self.lock)); SELECT pg_sleep(60)")
                    continuation.resume()
                }
            }
        }
        // Tests of other databases on this server take locks too.
        let held = """
            locktype = 'advisory' AND granted \
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        let start = ContinuousClock.now
        while try storage.sql("SELECT count(*) FROM pg_locks WHERE \(held)") == "0",
            ContinuousClock.now - start < .seconds(30)
        {}
        let refused = await database.perform(DatabaseTests.send(2))
        #expect(Self.kind(refused) == .locked)
        #expect(refused.failure?.answer.retryAfter == 1)
        // Reading needs no lock.
        #expect(try await DatabaseTests.texts(database).count == 1)
        _ = try storage.sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE \(held)")
        await holder.value
        _ = try await database.perform(DatabaseTests.send(2)).get()
    }

    /// Number of the writers' lock.
    private static let lock: Int64 = 0x6d69_6c6c_726d_7367

    @Test("a faulty address is refused, and a failure does not name the password")
    func address() throws {
        #expect(Self.kind { try MessageDatabase(StorageConfiguration(url: "http://db"), wallClock: { 0 }) } == .failed)
        let url = "postgres://ada:secret@127.0.0.1:1/millrace"
        let database = try MessageDatabase(StorageConfiguration(url: url), wallClock: { 0 })
        defer { database.close() }
        do {
            try database.probe()
            Issue.record("connected")
        } catch {
            #expect(error.kind == .unreachable)
            #expect(!"\(error)".contains("secret"))
        }
    }

    @Test("tables of a newer version are refused and left unchanged")
    func newer() async throws {
        let storage = try storage()
        let database = try storage.open()
        try database.probe()
        database.close()
        try storage.sql("UPDATE millrace_messages.meta SET value = '2' WHERE key = 'version'")
        let later = try storage.open()
        defer { later.close() }
        #expect(Self.kind { try later.probe() } == .newer)
        #expect(Self.kind(await later.perform(DatabaseTests.send(1))) == .newer)
        #expect(try storage.sql("SELECT value FROM millrace_messages.meta WHERE key = 'version'") == "2")
    }

    @Test("relays that start at the same time make the tables once")
    func start() async throws {
        let storage = try storage()
        let databases = try (0..<6).map { _ in try storage.open() }
        defer { databases.forEach { $0.close() } }
        await withTaskGroup(of: MessageDatabase.Answer.self) { group in
            for (number, database) in databases.enumerated() {
                group.addTask { await database.perform(DatabaseTests.send(number)) }
            }
            for await answer in group { #expect(answer.failure == nil) }
        }
        #expect(try await DatabaseTests.texts(databases[0]).count == 6)
    }

    @Test("commands that wait when the store is closed are carried out, and later ones fail")
    func close() async throws {
        let storage = try storage()
        let database = try storage.open()
        let answers = await DatabaseTests.submit(1...50, to: database)
        #expect(answers.allSatisfy { $0.failure == nil })
        database.close()
        #expect(Self.kind(await database.read(DatabaseTests.history())) == .unreachable)
        #expect(Self.kind(await database.perform(DatabaseTests.send(100))) == .unreachable)
        #expect(try storage.sql("SELECT count(*) FROM millrace_messages.message") == "51")
    }
}
