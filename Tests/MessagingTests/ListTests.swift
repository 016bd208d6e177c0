import Messaging
import MessagingTestKit
import Signaling
import Testing

@Suite struct ListTests {
    @Test("CHT-4 the list is read in pages, newest first, and stays complete while messages arrive")
    func pages() throws {
        let chat = Chatter()
        for peer in 1...9 { try chat.send("x", from: "ada", to: .peer("p\(peer)")) }
        func page(_ before: Int64?) throws -> ConversationsRequest.Answer {
            guard
                case .conversations(let page) = try chat.ask("ada", .conversations(.init(before: before, count: 4)))
                    .answer
            else { throw SignalingError(.internalError) }
            return page
        }
        let first = try page(nil)
        #expect(first.conversations.map(\.id) == ["p9", "p8", "p7", "p6"])
        #expect(first.hasMore)
        // Between two pages, one conversation of the first page and one of a later page move to the top.
        try chat.send("y", from: "p8", to: .peer("ada"))
        let event = try chat.send("y", from: "p3", to: .peer("ada")).deliveries
        let second = try page(first.conversations.last?.order)
        #expect(second.conversations.map(\.id) == ["p5", "p4", "p2", "p1"])
        #expect(!second.hasMore)
        #expect(
            event.contains {
                guard case .conversationsChanged(let body) = $0.event else { return false }
                return $0.users == ["ada"] && body.conversations.map(\.id) == ["p3"]
            })
    }

    @Test("CHT-6 clearing unread messages reduces the total")
    func clear() throws {
        let chat = Chatter()
        for _ in 0..<3 { try chat.send("x", from: "bob", to: .peer("ada")) }
        try chat.send("x", from: "cyd", to: .peer("ada"))
        #expect(try chat.list("ada").totalUnread == 4)
        let outcome = try chat.ask("ada", .clearUnread(.init(conversation: .peer("bob"))))
        #expect(outcome.deliveries.contains(.init(users: ["ada"], event: .totalUnreadChanged(.init(total: 1)))))
        #expect(try chat.list("ada").conversations.map(\.unread) == [1, 0])
        // No event is sent if there is nothing to clear.
        #expect(try chat.ask("ada", .clearUnread(.init(conversation: .peer("bob")))).deliveries == [])
        #expect(
            chat.code { try chat.ask("ada", .clearUnread(.init(conversation: .peer("eve")))) } == .unknownConversation)
    }

    @Test("CHT-7 a muted conversation has its own count, is not part of the total, and causes no notifications")
    func mute() throws {
        let chat = Chatter()
        try chat.send("x", from: "bob", to: .peer("ada"))
        try chat.ask("ada", .setNotification(.init(conversation: .peer("bob"), status: .doNotDisturb)))
        #expect(try chat.list("ada").totalUnread == 0)
        let events = try chat.send("y", from: "bob", to: .peer("ada")).deliveries.map(\.event.name)
        #expect(!events.contains(.notification) && !events.contains(.totalUnreadChanged))
        #expect(events.contains(.messageReceived) && events.contains(.conversationsChanged))
        #expect(try chat.list("ada").conversations.map(\.unread) == [2])
        #expect(try chat.list("ada").conversations.map(\.notification) == [.doNotDisturb])
        try chat.ask("ada", .setNotification(.init(conversation: .peer("bob"), status: .notify)))
        #expect(try chat.list("ada").totalUnread == 2)
    }

    @Test("CHT-8 a deleted conversation returns with a new message, and its old messages are kept")
    func delete() throws {
        let chat = Chatter()
        try chat.send("one", from: "bob", to: .peer("ada"))
        let outcome = try chat.ask("ada", .deleteConversation(.init(conversation: .peer("bob"))))
        #expect(outcome.deliveries.contains(.init(users: ["ada"], event: .totalUnreadChanged(.init(total: 0)))))
        #expect(try chat.list("ada") == .init(conversations: [], totalUnread: 0, hasMore: false))
        #expect(try chat.list("bob").conversations.count == 1)
        #expect(try chat.texts("ada", .peer("bob")) == ["one"])
        try chat.send("two", from: "bob", to: .peer("ada"))
        #expect(try chat.list("ada").conversations.map(\.unread) == [1])
        #expect(try chat.texts("ada", .peer("bob")) == ["one", "two"])
        try chat.ask("ada", .deleteMessages(.init(conversation: .peer("bob"))))
        #expect(try chat.texts("ada", .peer("bob")) == [])
        #expect(try chat.texts("bob", .peer("ada")) == ["one", "two"])
        let conversation = try #require(try chat.list("ada").conversations.first)
        #expect(conversation.lastMessage == nil && conversation.unread == 0)
    }

    @Test("CHT-8 a user's deletions are announced to the user's other devices, for listed and deleted conversations")
    func cleared() throws {
        let chat = Chatter()
        for text in ["one", "two"] { try chat.send(text, from: "bob", to: .peer("ada")) }
        func change(_ request: MessagingRequest) throws -> ConversationsChanged? {
            try chat.ask("ada", request).deliveries.lazy.compactMap { delivery -> ConversationsChanged? in
                guard delivery.users == ["ada"], case .conversationsChanged(let body) = delivery.event else {
                    return nil
                }
                return body
            }.first
        }
        let listed = try #require(try change(.deleteMessages(.init(conversation: .peer("bob")))))
        #expect(listed.conversations.map(\.clearedThrough) == [2] && listed.deleted == [])
        try chat.send("three", from: "bob", to: .peer("ada"))
        let off = try #require(try change(.deleteConversation(.init(conversation: .peer("bob")))))
        #expect(off.deleted == [.init(type: .peer, id: "bob", change: off.cursor, clearedThrough: 2)])
        let again = try #require(try change(.deleteMessages(.init(conversation: .peer("bob")))))
        #expect(again.deleted == [.init(type: .peer, id: "bob", change: again.cursor, clearedThrough: 3)])
        #expect(again.cursor > off.cursor)
        guard
            case .changes(let page) = try chat.ask("ada", .conversationChanges(.init(since: 0, count: 10))).answer
        else { return }
        #expect(page.deleted == again.deleted && page.conversations == [])
        // The peer is not told what the user cleared.
        #expect(try chat.list("bob").conversations.map(\.clearedThrough) == [0])
    }

    @Test("CHT-5 changes, including deletions, can be read from any cursor")
    func changes() throws {
        let chat = Chatter()
        for peer in 1...5 { try chat.send("x", from: "ada", to: .peer("p\(peer)")) }
        func changes(_ since: Int64, _ count: Int) throws -> ConversationChangesRequest.Answer {
            guard
                case .changes(let page) = try chat.ask("ada", .conversationChanges(.init(since: since, count: count)))
                    .answer
            else { throw SignalingError(.internalError) }
            return page
        }
        let first = try changes(0, 3)
        #expect(first.conversations.map(\.id) == ["p1", "p2", "p3"] && first.hasMore)
        try chat.ask("ada", .deleteConversation(.init(conversation: .peer("p1"))))
        let second = try changes(first.cursor, 3)
        #expect(second.conversations.map(\.id) == ["p4", "p5"])
        #expect(second.deleted == [.init(type: .peer, id: "p1", change: second.cursor)] && !second.hasMore)
        #expect(
            try changes(second.cursor, 3)
                == .init(
                    conversations: [], deleted: [], totalUnread: 0, store: second.store, cursor: second.cursor,
                    hasMore: false))
        guard case .loggedIn(let login) = try chat.apply("ada", .login(name: nil)).answer else { return }
        #expect(login == .init(user: "ada", store: second.store, cursor: second.cursor))
    }

    @Test("only messages that no user can see any more are removed")
    func purge() throws {
        let chat = Chatter()
        for text in ["one", "two"] { try chat.send(text, from: "bob", to: .peer("ada")) }
        try chat.ask("ada", .deleteMessages(.init(conversation: .peer("bob"))))
        #expect(try chat.apply("", .sweep(olderThan: nil, limit: 10)).answer == .swept(nil, app: ""))
        try chat.ask("bob", .deleteMessages(.init(conversation: .peer("ada"))))
        try chat.send("three", from: "bob", to: .peer("ada"))
        #expect(chat.store.messageCount == 3)
        #expect(try chat.texts("bob", .peer("ada")) == ["three"])
        while case .swept(.some, _) = try chat.apply("", .sweep(olderThan: nil, limit: 1)).answer {}
        #expect(chat.store.messageCount == 1)
        #expect(try chat.texts("ada", .peer("bob")) == ["three"])
    }

    @Test("old messages are removed, including unread ones")
    func retention() throws {
        let chat = Chatter()
        for text in ["one", "two", "three"] { try chat.send(text, from: "bob", to: .peer("ada")) }
        let outcome = try chat.apply("", .sweep(olderThan: chat.now, limit: 10))
        #expect(outcome.answer == .swept(2, app: "app"))
        #expect(outcome.deliveries.contains(.init(users: ["ada"], event: .totalUnreadChanged(.init(total: 1)))))
        #expect(try chat.texts("ada", .peer("bob")) == ["three"])
        #expect(try chat.list("ada").totalUnread == 1)
        #expect(try chat.apply("", .sweep(olderThan: chat.now, limit: 10)).answer == .swept(nil, app: ""))
        try chat.apply("", .sweep(olderThan: chat.now + 1, limit: 10))
        #expect(try chat.list("ada").conversations.map(\.lastMessage) == [nil])
    }

    @Test("CHT-5 the removal of a newest message is announced to users who had read it, too")
    func newestRemoved() throws {
        let chat = Chatter()
        let group = try chat.group("Team", "ada", ["bob", "cyd"])
        try chat.send("one", from: "ada", to: .group(group.id))
        try chat.send("two", from: "bob", to: .group(group.id))
        try chat.ask("cyd", .clearUnread(.init(conversation: .group(group.id))))
        let outcome = try chat.apply("bob", .removeSlice(limit: 10))
        func told(_ user: String) -> String? {
            outcome.deliveries.lazy.compactMap { delivery -> String? in
                guard delivery.users == [user], case .conversationsChanged(let body) = delivery.event else {
                    return nil
                }
                return body.conversations.first?.lastMessage?.text
            }.first
        }
        #expect(told("cyd") == "one" && told("ada") == "one")
    }

    @Test("the cost of one slice of a removal is bounded for large groups")
    func slices() throws {
        let chat = Chatter()
        let others = (0..<50).map { "u\($0)" }
        for number in 0..<4 {
            let group = try chat.group("Group \(number)", "maker \(number)", others + ["ada"])
            try chat.send("x", from: "ada", to: .group(group.id))
        }
        // Groups with 52 members and a slice of 60: two groups, not four.
        #expect(try chat.apply("ada", .removeSlice(limit: 60)).cost == 104)
        #expect(chat.store.messageCount == 2)
        while try chat.apply("ada", .removeSlice(limit: 60)).answer == .sliceRemoved(isDone: false) {}
        #expect(chat.store.messageCount == 0)
        #expect(try chat.list("u1").totalUnread == 0)
    }

    @Test("only the id of a removed user stays, in the lists of others")
    func removal() throws {
        let chat = Chatter()
        let group = try chat.group("Team", "bob", ["ada", "cyd"])
        try chat.send("one", from: "bob", to: .peer("ada"))
        try chat.send("two", from: "ada", to: .peer("bob"))
        try chat.send("three", from: "bob", to: .group(group.id))
        for _ in 0..<20 {
            guard try chat.apply("bob", .removeSlice(limit: 1)).answer == .sliceRemoved(isDone: false) else { break }
        }
        #expect(try chat.apply("bob", .removeSlice(limit: 1)).answer == .sliceRemoved(isDone: true))
        #expect(try chat.texts("ada", .peer("bob")) == ["two"])
        #expect(try chat.list("ada").totalUnread == 0)
        #expect(try chat.list("bob").conversations == [])
        guard case .group(let left) = try chat.ask("ada", .group(.init(group: group.id))).answer else { return }
        #expect(left.members == ["ada", "cyd"] && left.owner == "ada")
        #expect(chat.code { try chat.texts("bob", .peer("ada")) } == .unknownConversation)
        // A new user with that id does not see messages to the removed user.
        try chat.send("four", from: "ada", to: .peer("bob"))
        #expect(try chat.texts("bob", .peer("ada")) == ["four"])
    }
}
