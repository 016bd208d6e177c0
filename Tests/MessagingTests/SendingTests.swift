import Messaging
import MessagingTestKit
import Signaling
import Testing

@Suite struct SendingTests {
    @Test("CHT-2 the first message creates the conversation for both users, and both are told")
    func first() throws {
        let chat = Chatter()
        let outcome = try chat.send("hello", from: "ada", to: .peer("bob"), id: "m-1")
        #expect(outcome.answer == .sent(.init(number: 1, time: 1_001)))
        let sent = Message(id: "m-1", number: 1, conversation: .peer("bob"), from: "ada", text: "hello", time: 1_001)
        var received = sent
        received.conversation = .peer("ada")
        let bob = Conversation(
            type: .peer, id: "ada", name: "ada", unread: 1, lastMessage: received, order: 1_002, change: 1_002)
        var own = Conversation(
            type: .peer, id: "bob", name: "bob", unread: 0, lastMessage: sent, order: 1_002, change: 1_002)
        #expect(try chat.list("bob") == .init(conversations: [bob], totalUnread: 1, hasMore: false))
        own.order = try #require(try chat.list("ada").conversations.first).order
        own.change = own.order
        #expect(try chat.list("ada").conversations == [own])
        let events = outcome.deliveries
        #expect(
            events.contains(
                .init(users: ["bob"], event: .messageReceived(.init(message: received)), sparesOrigin: true)))
        #expect(
            events.contains(.init(users: ["ada"], event: .messageReceived(.init(message: sent)), sparesOrigin: true)))
        #expect(
            events.contains(
                .init(users: ["bob"], event: .notification(.init(conversation: .peer("ada"), message: received)))))
        #expect(events.contains(.init(users: ["bob"], event: .totalUnreadChanged(.init(total: 1)))))
        #expect(
            events.contains(
                .init(users: ["bob"], event: .conversationsChanged(.init(conversations: [bob], cursor: 1_002)))))
        #expect(events.count == 6)
    }

    @Test("CHT-9 a repeated message is stored once, announced once and answered the same")
    func again() throws {
        let chat = Chatter()
        let first = try chat.send("hello", from: "ada", to: .peer("bob"), id: "m-1")
        let second = try chat.send("hello", from: "ada", to: .peer("bob"), id: "m-1")
        #expect(second.answer == first.answer)
        #expect(second.deliveries == [])
        #expect(try chat.list("bob").totalUnread == 1)
        #expect(chat.store.messageCount == 1)
        #expect(chat.code { try chat.send("other", from: "ada", to: .peer("bob"), id: "m-1") } == .invalidField)
        #expect(chat.code { try chat.send("hello", from: "ada", to: .peer("cyd"), id: "m-1") } == .invalidField)
        // Message ids are separate for each sender.
        try chat.send("hello", from: "bob", to: .peer("ada"), id: "m-1")
        #expect(chat.store.messageCount == 2)
    }

    @Test("CHT-9 a removed message is not stored again if it is sent again", arguments: [true, false])
    func againAfterRemoval(_ isDeleted: Bool) throws {
        let chat = Chatter()
        let first = try chat.send("hello", from: "ada", to: .peer("bob"), id: "m-1")
        if isDeleted {
            try chat.ask("ada", .deleteMessages(.init(conversation: .peer("bob"))))
            try chat.ask("bob", .deleteMessages(.init(conversation: .peer("ada"))))
        }
        func sweep() throws {
            let time = isDeleted ? nil : chat.now + 1
            while case .swept(.some, _) = try chat.apply("", .sweep(olderThan: time, limit: 1)).answer {}
        }
        try sweep()
        #expect(chat.store.messageCount == 0 && chat.store.receiptCount == 1)
        let second = try chat.send("hello", from: "ada", to: .peer("bob"), id: "m-1")
        #expect(second.answer == first.answer && second.deliveries == [])
        #expect(chat.store.messageCount == 0)
        #expect(chat.code { try chat.send("hello", from: "ada", to: .peer("cyd"), id: "m-1") } == .invalidField)
        // Its id is forgotten after `resendDays`.
        chat.now += Int64(chat.limits.resendDays) * 86_400_000 + 1
        try sweep()
        #expect(chat.store.receiptCount == 0)
        try chat.send("hello", from: "ada", to: .peer("bob"), id: "m-1")
        #expect(chat.store.messageCount == 1)
    }

    @Test("SES-3 users of two apps with the same id are separate")
    func apps() throws {
        let chat = Chatter()
        try chat.send("one", from: "ada", to: .peer("bob"), app: "a")
        try chat.send("two", from: "ada", to: .peer("bob"), app: "b")
        #expect(try chat.texts("bob", .peer("ada"), app: "a") == ["one"])
        #expect(try chat.texts("bob", .peer("ada"), app: "b") == ["two"])
        #expect(try chat.list("bob", app: "c").conversations == [])
        let group = try chat.group("Team", "ada", ["bob"])
        #expect(chat.code { try chat.ask("ada", .group(.init(group: group.id)), app: "b") } == .unknownGroup)
        #expect(chat.code { try chat.send("x", from: "bob", to: .group(group.id), app: "b") } == .unknownGroup)
    }

    @Test("ids that differ in Unicode normalization are different users")
    func bytes() throws {
        let chat = Chatter()
        try chat.send("hello", from: "ada", to: .peer("Zo\u{EB}"))
        #expect(try chat.list("Zo\u{EB}").totalUnread == 1)
        #expect(try chat.list("Zoe\u{308}").totalUnread == 0)
        #expect(UserKey(app: "", id: "\u{EB}") != UserKey(app: "", id: "e\u{308}"))
    }

    @Test(
        "CHT-10 messages above a limit or with an invalid id are refused, each with its own error",
        arguments: [
            ("bob", "m", 8_192, nil), ("bob", "m", 8_193, .textTooLong), ("bob", "m", 0, .invalidField),
            ("bob", "", 1, .invalidField), ("bob", "\u{E9}", 1, .invalidField), ("ada", "m", 1, .invalidField),
            ("", "m", 1, .invalidField), (String(repeating: "b", count: 36), "m", 1, .invalidField),
            (String(repeating: "b", count: 35), "m", 1, nil), ("b\u{0}b", "m", 1, .invalidField),
            ("b" + String(repeating: "\u{301}", count: 100), "m", 1, .invalidField),
        ] as [(String, String, Int, ErrorCode?)])
    func limits(_ to: String, _ id: String, _ count: Int, _ code: ErrorCode?) {
        let chat = Chatter()
        let text = String(repeating: "x", count: count)
        #expect(chat.code { try chat.send(text, from: "ada", to: .peer(to), id: id) } == code)
        #expect(chat.store.messageCount == (code == nil ? 1 : 0))
    }

    @Test("every request with an identity that is not a valid user id is refused")
    func identity() {
        let chat = Chatter()
        for id in ["", String(repeating: "a", count: 36), "a\nb"] {
            #expect(chat.code { try chat.apply(id, .login(name: nil)) } == .identityMissing)
            #expect(chat.code { try chat.send("x", from: id, to: .peer("bob")) } == .identityMissing)
        }
        #expect(chat.store.userCount == 0)
    }

    @Test("pages have 1 to 100 items and one direction", arguments: [Int.min, 0, 101, .max])
    func pages(_ count: Int) throws {
        let chat = Chatter()
        try chat.send("x", from: "ada", to: .peer("bob"))
        #expect(chat.code { try chat.ask("ada", .conversations(.init(count: count))) } == .invalidField)
        #expect(chat.code { try chat.ask("ada", .conversationChanges(.init(since: 0, count: count))) } == .invalidField)
        let history = HistoryRequest(conversation: .peer("bob"), count: count)
        #expect(chat.code { try chat.ask("ada", .history(history)) } == .invalidField)
        let both = HistoryRequest(conversation: .peer("bob"), before: 1, after: 1, count: 1)
        #expect(chat.code { try chat.ask("ada", .history(both)) } == .invalidField)
        for anchor in [Int64.min, -1, 0, .max] {
            try chat.ask("ada", .history(.init(conversation: .peer("bob"), before: anchor, count: 1)))
            try chat.ask("ada", .history(.init(conversation: .peer("bob"), after: anchor, count: 1)))
            try chat.ask("ada", .conversations(.init(before: anchor, count: 1)))
            try chat.ask("ada", .conversationChanges(.init(since: anchor, count: 1)))
        }
    }

    @Test("CHT-3 a user's display name is the name of the conversation for its peers")
    func names() throws {
        let chat = Chatter()
        try chat.apply("bob", .login(name: "Bob the Great"))
        try chat.send("x", from: "ada", to: .peer("bob"))
        #expect(try chat.list("ada").conversations.first?.name == "Bob the Great")
        #expect(try chat.list("bob").conversations.first?.name == "ada")
        let long = String(repeating: "n", count: 201)
        #expect(chat.code { try chat.apply("bob", .login(name: long)) } == .invalidField)
    }

    @Test(
        "CHT-3 the error for a refused name of a user or a group has the reason",
        arguments: [
            (String(repeating: "n", count: 201), "201 characters, at most 200"),
            ("e" + String(repeating: "\u{301}", count: 400), "801 bytes, at most 800"), ("a\u{202E}b", "U+202E"),
        ])
    func refusedNames(_ name: String, _ reason: String) {
        let chat = Chatter()
        let own = #expect(throws: SignalingError.self) { _ = try chat.apply("bob", .login(name: name)) }
        let group = #expect(throws: SignalingError.self) { _ = try chat.group(name, "bob", []) }
        for error in [own, group] {
            #expect(error?.code == .invalidField && error?.field == "name")
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        }
    }

    @Test("CHT-3 CHT-5 a changed display name appears in the lists of others, and is removed with its user")
    func newName() throws {
        let chat = Chatter()
        try chat.send("x", from: "ada", to: .peer("bob"))
        try chat.send("x", from: "cyd", to: .peer("bob"))
        try chat.ask("cyd", .deleteConversation(.init(conversation: .peer("bob"))))
        func told(_ outcome: MessagingOutcome) -> [String: String] {
            outcome.deliveries.reduce(into: [:]) { names, delivery in
                guard case .conversationsChanged(let body) = delivery.event else { return }
                names[delivery.users.first ?? ""] = body.conversations.first?.name
            }
        }
        func changed(_ since: Int64) throws -> [String] {
            let request = ConversationChangesRequest(since: since, count: 10)
            guard case .changes(let page) = try chat.ask("ada", .conversationChanges(request)).answer else { return [] }
            return page.conversations.map(\.name)
        }
        let before = try #require(try chat.list("ada").conversations.first)
        // A name change does not bring back a deleted conversation.
        #expect(try told(chat.apply("bob", .login(name: "Bob"))) == ["ada": "Bob"])
        #expect(try changed(before.change) == ["Bob"])
        #expect(try chat.list("ada").conversations.map(\.order) == [before.order])
        #expect(try told(chat.apply("bob", .login(name: "Bob"))) == [:])
        #expect(try told(chat.apply("bob", .login(name: nil))) == [:])
        let named = try #require(try chat.list("ada").conversations.first)
        while try chat.apply("bob", .removeSlice(limit: 10)).answer == .sliceRemoved(isDone: false) {}
        #expect(try changed(named.change) == ["bob"])
    }

    @Test("a name change is announced to at most the newest hundred conversations")
    func manyNames() throws {
        let chat = Chatter()
        for peer in 0..<150 { try chat.send("x", from: "ada", to: .peer("p\(peer)")) }
        let outcome = try chat.apply("ada", .login(name: "Ada"))
        #expect(outcome.deliveries.map(\.users) == (50..<150).reversed().map { ["p\($0)"] })
        #expect(outcome.cost == 100)
    }

    @Test("a page with long texts ends early, and the pages together are complete")
    func pageBytes() throws {
        let chat = Chatter()
        let text = String(repeating: "x", count: 8_192)
        for number in 0..<70 { try chat.send(text, from: "ada", to: number < 10 ? .peer("p\(number)") : .peer("bob")) }
        func page(_ request: HistoryRequest) throws -> HistoryRequest.Answer {
            guard case .history(let page) = try chat.ask("ada", .history(request)).answer else {
                throw SignalingError(.internalError)
            }
            return page
        }
        let first = try page(.init(conversation: .peer("bob"), count: 100))
        #expect(first.messages.map(\.number) == Array(29...60) && first.hasMore)
        let second = try page(.init(conversation: .peer("bob"), before: 29, count: 100))
        #expect(second.messages.map(\.number) == Array(1...28) && !second.hasMore)
        let forward = try page(.init(conversation: .peer("bob"), after: 0, count: 100))
        #expect(forward.messages.map(\.number) == Array(1...32) && forward.hasMore)
    }

    @Test("pages of changes and lists that are limited by bytes are complete")
    func listBytes() throws {
        let chat = Chatter()
        let text = String(repeating: "x", count: 8_192)
        for number in 0..<70 { try chat.send(text, from: "ada", to: .peer("p\(number)")) }
        var counts: [Int] = []
        var since: Int64 = 0
        while counts.count < 10 {
            let request = ConversationChangesRequest(since: since, count: 100)
            guard case .changes(let page) = try chat.ask("ada", .conversationChanges(request)).answer else { break }
            counts.append(page.conversations.count)
            since = page.cursor
            guard page.hasMore else { break }
        }
        #expect(counts == [32, 32, 6])
        let list = try chat.list("ada")
        #expect(list.conversations.count == 32 && list.hasMore)
    }

    @Test("message times do not decrease within a conversation")
    func time() throws {
        let chat = Chatter()
        try chat.send("one", from: "ada", to: .peer("bob"))
        chat.now = 5
        guard case .sent(let answer) = try chat.send("two", from: "bob", to: .peer("ada")).answer else {
            Issue.record("no answer")
            return
        }
        #expect(answer == .init(number: 2, time: 1_001))
    }
}
