import MediaBase
import Signaling
import Testing

@testable import MillraceClient

@Suite("Messaging client: synchronisation and sending") struct MessagingCoreTests {
    private static let bob = ConversationRef.peer("bob")

    private struct Bench {
        let link = PlayedLink()
        let board = MessagingBoard()
        let store: ConversationStore
        let core: MessagingCore

        init(_ configure: (inout MessagingConfiguration) -> Void = { _ in }) throws {
            store = try ConversationStore()
            var configuration = MessagingConfiguration()
            configuration.retryDelay = .milliseconds(10)
            configure(&configuration)
            core = MessagingCore(
                link: link, store: store, configuration: configuration, board: board)
        }

        /// Connects, and answers as the relay.
        func connect(_ conversations: [Conversation] = [], cursor: Int64 = 1) async throws {
            async let connecting: Void = core.connect(name: "Ada")
            await link.letIn(conversations, cursor: cursor)
            try await connecting
        }

        /// Returns the next message that the client sends.
        func nextMessage() async throws -> (PlayedLink.Asked, SendMessageRequest) {
            let asked = await link.next()
            guard let message = asked.request as? SendMessageRequest else {
                throw SignalingError(.unknownMethod, "\(asked.request.method)")
            }
            return (asked, message)
        }
    }

    private func seek<Found>(
        _ feed: Feed<ConversationEvent>, _ matches: (ConversationEvent) -> Found?
    ) async -> Found? {
        for await event in feed {
            if let found = matches(event) { return found }
        }
        return nil
    }

    @Test(
        "CHT-5 CHT-9 the client is synchronised once all pages are stored, and resumes from there after a loss",
        .timeLimit(.minutes(1)))
    func steps() async throws {
        let bench = try Bench()
        let events = bench.board.events.feed(limit: 100)
        async let connecting: Void = bench.core.connect(name: "Ada")
        let login = await bench.link.next()
        guard let request = login.request as? LoginRequest else {
            Issue.record("no login")
            return
        }
        #expect(request.name == "Ada")
        await bench.link.answer(login, .success(LoginRequest.Answer(user: "ada", store: "s", cursor: 9)))
        for page in 1...3 {
            let changes = await bench.link.next()
            guard let request = changes.request as? ConversationChangesRequest else {
                Issue.record("no question for changes")
                return
            }
            #expect(request.since == Int64(page - 1) * 3)
            #expect(bench.board.snapshot.status == .connecting)
            await bench.link.answer(
                changes,
                .success(
                    ConversationChangesRequest.Answer(
                        conversations: [
                            ConversationStoreTests.conversation(.peer("user \(page)"), unread: 1, order: Int64(page))
                        ], deleted: [], totalUnread: 0, store: "s", cursor: Int64(page) * 3, hasMore: page < 3)))
        }
        try await connecting
        #expect(bench.board.snapshot.status == .connected && bench.board.snapshot.user == "ada")
        #expect(try await bench.store.totalUnread() == 3)
        await bench.link.tell(
            .conversationsChanged(
                ConversationsChanged(
                    conversations: [ConversationStoreTests.conversation(unread: 1, order: 10)], cursor: 12)))
        await bench.link.tell(.totalUnreadChanged(TotalUnreadChanged(total: 99)))
        #expect(await seek(events) { $0 == .totalUnreadChanged(4) ? true : nil } == true)
        await bench.link.cut()
        #expect(await seek(events) { $0 == .statusChanged(.reconnecting) ? true : nil } == true)
        await bench.link.stand()
        #expect(await bench.link.letIn(cursor: 15) == 12)
        #expect(await seek(events) { $0 == .statusChanged(.connected) ? true : nil } == true)
        // The relay's store was restored to an older state, so the stored data is invalid.
        await bench.link.cut()
        await bench.link.stand()
        #expect(await bench.link.letIn(cursor: 3) == 0)
        #expect(await seek(events) { $0 == .storeReset ? true : nil } == true)
        await bench.core.disconnect()
        #expect(bench.board.snapshot.status == .notConnected)
        #expect(await bench.link.isClosed)
    }

    @Test(
        "CHT-9 messages are sent one at a time, in order, and again with the same id after a loss",
        .timeLimit(.minutes(1)))
    func sends() async throws {
        let bench = try Bench()
        let first = try await bench.core.send("1", to: Self.bob)
        try await bench.connect()
        let events = bench.board.events.feed(limit: 100)
        _ = try await bench.core.send("2", to: Self.bob)
        let (_, once) = try await bench.nextMessage()
        #expect(once.message == first.id && once.text == "1")
        await bench.link.cut()
        await bench.link.stand()
        await bench.link.letIn(cursor: 2)
        let (again, twice) = try await bench.nextMessage()
        #expect(twice == once)
        await bench.link.answer(again, .success(SendMessageRequest.Answer(number: 5, time: 7)))
        let (next, second) = try await bench.nextMessage()
        #expect(second.text == "2")
        let sent = await seek(events) { event -> Message? in
            if case .messageSent(let message) = event { return message }
            return nil
        }
        #expect(sent == Message(id: first.id, number: 5, conversation: Self.bob, from: "ada", text: "1", time: 7))
        await bench.link.answer(next, .success(SendMessageRequest.Answer(number: 6, time: 8)))
        #expect(
            await seek(events) { event -> Bool? in
                if case .messageSent(let message) = event { return message.number == 6 }
                return nil
            } == true)
        #expect(try await bench.store.outgoing().isEmpty)
        await bench.core.disconnect()
    }

    @Test("CHT-10 a message that the relay cannot store now is retried; a refused one is reported and delays no other")
    func refusals() async throws {
        let bench = try Bench()
        try await bench.connect()
        let events = bench.board.events.feed(limit: 100)
        for text in ["1", "2"] { _ = try await bench.core.send(text, to: Self.bob) }
        for code in [ErrorCode.storageFailed, .rateLimited] {
            let (asked, message) = try await bench.nextMessage()
            #expect(message.text == "1")
            await bench.link.answer(asked, Result<SendMessageRequest.Answer, _>.failure(SignalingError(code)))
        }
        let (asked, _) = try await bench.nextMessage()
        await bench.link.answer(asked, Result<SendMessageRequest.Answer, _>.failure(SignalingError(.unknownGroup)))
        let refused = await seek(events) { event -> ErrorCode? in
            if case .messageRefused(let message, let error) = event { return message.text == "1" ? error.code : nil }
            return nil
        }
        #expect(refused == .unknownGroup)
        let (_, next) = try await bench.nextMessage()
        #expect(next.text == "2")
        await #expect(throws: SessionError.self) { try await bench.core.send("", to: Self.bob) }
        await bench.core.disconnect()
    }

    @Test(
        "CON-5 CHT-10 login is retried when the relay is busy, and not when it refuses the user",
        .timeLimit(.minutes(1)))
    func logins() async throws {
        let bench = try Bench()
        async let connecting: Void = bench.core.connect(name: nil)
        let first = await bench.link.next()
        await bench.link.answer(
            first, Result<LoginRequest.Answer, _>.failure(SignalingError(.storageFailed, retryAfter: 4)))
        let second = await bench.link.next()
        #expect(await bench.link.restarts == [4])
        await bench.link.answer(second, Result<LoginRequest.Answer, _>.failure(SignalingError(.identityMissing)))
        let refusal: ErrorCode?
        do {
            try await connecting
            refusal = nil
        } catch {
            refusal = (error as? SessionError)?.code
        }
        #expect(refusal == .identityMissing)
        #expect(bench.board.snapshot.status == .failed)
        #expect(await bench.link.isClosed)
        // A request without a connection fails at once.
        await #expect(throws: SessionError.self) { try await bench.core.clearUnread(Self.bob) }
        try await bench.connect()
        #expect(bench.board.snapshot.status == .connected)
        await bench.core.disconnect()
    }

    @Test("CHT-9 pages of messages that the store lacks are read from the relay", .timeLimit(.minutes(1)))
    func history() async throws {
        let bench = try Bench()
        try await bench.connect([ConversationStoreTests.conversation(last: 9, order: 9)])
        let all = (1...9).map { ConversationStoreTests.message($0) }
        async let page = bench.core.history(of: Self.bob, before: nil, count: 4)
        let asked = await bench.link.next()
        guard let request = asked.request as? HistoryRequest else {
            Issue.record("no question for messages")
            return
        }
        #expect(request.before == nil && request.after == nil && request.conversation == Self.bob)
        await bench.link.answer(
            asked, .success(HistoryRequest.Answer(messages: Array(all.suffix(6)), hasMore: true)))
        let pageRead = try await page
        #expect(pageRead == HistoryPage(messages: Array(all.suffix(4)), hasMore: true, isOffline: false))
        // The store already holds two messages of the next page.
        async let older = bench.core.history(of: Self.bob, before: 6, count: 10)
        let next = await bench.link.next()
        guard let further = next.request as? HistoryRequest else { return }
        #expect(further.before == 4)
        await bench.link.answer(next, .success(HistoryRequest.Answer(messages: Array(all.prefix(3)), hasMore: false)))
        let olderRead = try await older
        #expect(olderRead == HistoryPage(messages: Array(all.prefix(5)), hasMore: false, isOffline: false))
        // A page after a message that the store does not hold.
        async let foreign = bench.core.history(of: Self.bob, after: 100, count: 10)
        await bench.link.answer(await bench.link.next(), .success(HistoryRequest.Answer(messages: [], hasMore: false)))
        let foreignRead = try await foreign
        #expect(foreignRead == HistoryPage(messages: [], hasMore: false, isOffline: false))
        await bench.core.disconnect()
        let offline = try await bench.core.history(of: Self.bob, before: nil, count: 50)
        #expect(offline == HistoryPage(messages: all, hasMore: false, isOffline: false))
        let unknown = try await bench.core.history(of: .peer("cleo"), before: nil, count: 50)
        #expect(unknown == HistoryPage(messages: [], hasMore: true, isOffline: true))
    }

    @Test("CON-3 a link that ends by itself ends the client, which can connect again", .timeLimit(.minutes(1)))
    func ended() async throws {
        let bench = try Bench()
        try await bench.connect()
        let events = bench.board.events.feed(limit: 100)
        await bench.link.end(SessionError(.notConnected))
        #expect(await seek(events) { $0 == .statusChanged(.failed) ? true : nil } == true)
        try await bench.connect()
        #expect(bench.board.snapshot.status == .connected)
        async let connecting: Void = bench.core.disconnect()
        async let again: Void = bench.core.disconnect()
        _ = await (connecting, again)
        try await bench.connect()
        #expect(bench.board.snapshot.status == .connected)
        await bench.core.disconnect()
        #expect(bench.board.snapshot.status == .notConnected)
    }

    @Test(
        "commands to the link are executed in order: a disconnect never precedes its connect",
        .timeLimit(.minutes(1)))
    func commands() async throws {
        let bench = try Bench()
        for _ in 0..<50 {
            let connecting = Task { try await bench.core.connect(name: nil) }
            while bench.board.snapshot.status != .connecting { await Task.yield() }
            await bench.core.disconnect()
            let result = await connecting.result
            #expect(throws: SessionError.self) { try result.get() }
        }
        #expect(await bench.link.told == Array(repeating: ["open", "close"], count: 50).flatMap { $0 })
    }

    @Test("CHT-9 events received before a disconnect are not stored after it", .timeLimit(.minutes(1)))
    func stale() async throws {
        let bench = try Bench()
        try await bench.connect()
        for number in 1...300 {
            let message = ConversationStoreTests.message(Int64(number))
            await bench.link.tell(.messageReceived(MessageReceived(message: message)))
        }
        await bench.core.disconnect()
        let before = try await bench.store.read { db in try HistoryTable.highest(db, Self.bob) }
        try await bench.connect()
        let after = try await bench.store.read { db in try HistoryTable.highest(db, Self.bob) }
        #expect(before == after)
        await bench.core.disconnect()
    }

    @Test("CHT-6 an answer does not undo events that followed it", .timeLimit(.minutes(1)))
    func answers() async throws {
        let bench = try Bench()
        try await bench.connect([ConversationStoreTests.conversation(unread: 3, last: 3, order: 3)], cursor: 3)
        let events = bench.board.events.feed(limit: 100)
        async let clearing: Void = bench.core.clearUnread(Self.bob)
        await bench.link.answer(await bench.link.next(), .success(Done()))
        for (unread, change) in [(0, 4), (1, 5)] {
            let state = ConversationStoreTests.conversation(
                unread: unread, last: Int64(change), order: Int64(change))
            await bench.link.tell(
                .conversationsChanged(ConversationsChanged(conversations: [state], cursor: Int64(change))))
        }
        try await clearing
        #expect(await seek(events) { $0 == .totalUnreadChanged(1) ? true : nil } == true)
        #expect(try await bench.store.totalUnread() == 1)
        await bench.core.disconnect()
    }

    @Test(
        "CHT-9 without a connection the page next to an unknown message comes from the store", .timeLimit(.minutes(1)))
    func strangers() async throws {
        let bench = try Bench()
        try await bench.connect([ConversationStoreTests.conversation(last: 9, order: 9)])
        async let page = bench.core.history(of: Self.bob, before: nil, count: 4)
        let all = (4...9).map { ConversationStoreTests.message($0) }
        await bench.link.answer(
            await bench.link.next(), .success(HistoryRequest.Answer(messages: all, hasMore: true)))
        _ = try await page
        // The conversation has no messages: the page is empty in both directions, with or without a known message number.
        for number: Int64? in [nil, 7] {
            async let unknown = bench.core.history(of: .peer("cleo"), before: number, count: 4)
            await bench.link.answer(
                await bench.link.next(),
                Result<HistoryRequest.Answer, _>.failure(SignalingError(.unknownConversation)))
            let unknownRead = try await unknown
            #expect(unknownRead == HistoryPage(messages: [], hasMore: false, isOffline: false))
        }
        await bench.core.disconnect()
        let after = try await bench.core.history(of: Self.bob, after: 1, count: 3)
        #expect(after == HistoryPage(messages: Array(all.prefix(3)), hasMore: true, isOffline: true))
        let before = try await bench.core.history(of: Self.bob, before: 100, count: 3)
        #expect(before == HistoryPage(messages: Array(all.suffix(3)), hasMore: true, isOffline: true))
    }

    @Test("after one dropped event all are dropped, until the link is up again") func overfull() async {
        let queue = NewsQueue(limit: 2)
        func event(_ total: Int) -> LinkNews { .event(.totalUnreadChanged(TotalUnreadChanged(total: total))) }
        for total in 1...3 { queue.push(event(total)) }
        var heard: [String] = []
        for await news in queue.reading {
            let asksAgain = queue.taken()
            switch news {
            case .event(.totalUnreadChanged(let body)): heard.append("\(body.total)\(asksAgain ? " again" : "")")
            case .down: heard.append("down\(asksAgain ? " again" : "")")
            case .up: heard.append("up\(asksAgain ? " again" : "")")
            default: heard.append("something else")
            }
            switch heard.count {
            // The queue has space again, but this event would imply that event 3 was delivered.
            case 1: queue.push(event(4))
            case 2:
                queue.push(event(5))
                queue.push(.down)
            case 3:
                queue.push(.up)
                queue.push(event(6))
            case 5: queue.finish()
            default: break
            }
        }
        // The client is asked to synchronise once.
        #expect(heard == ["1", "2 again", "down", "up", "6"])
    }

    @Test("unread events are bounded; answers and the end of the link are never dropped") func queue() async {
        let queue = NewsQueue(limit: 3)
        let event = LinkNews.event(.totalUnreadChanged(TotalUnreadChanged(total: 1)))
        for _ in 0..<10 { queue.push(event) }
        queue.push(.down)
        queue.finish()
        var count = 0
        var wasOverfull = false
        for await _ in queue.reading {
            count += 1
            wasOverfull = queue.taken()
        }
        #expect(count == 4 && wasOverfull)
    }
}
