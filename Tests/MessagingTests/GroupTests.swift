import Messaging
import MessagingTestKit
import Signaling
import Testing

@Suite struct GroupTests {
    @Test("CHT-2 a group is created, gets messages, is joined, left and dismissed")
    func life() throws {
        let chat = Chatter()
        let made = try chat.ask("ada", .createGroup(.init(name: "Team", members: ["bob", "bob", "ada"])))
        guard case .group(let group) = made.answer else {
            Issue.record("no group")
            return
        }
        #expect(group.name == "Team" && group.owner == "ada" && group.members == ["ada", "bob"])
        func told(_ users: [String], _ change: GroupChanged) -> MessageDelivery {
            MessageDelivery(users: users, event: .groupChanged(change))
        }
        #expect(
            made.deliveries.contains(
                told(
                    ["ada", "bob"], .init(id: group.id, name: "Team", owner: "ada", size: 2, added: ["ada", "bob"]))))
        let ref = ConversationRef.group(group.id)
        #expect(try chat.list("bob").conversations.map(\.ref) == [ref])
        #expect(try chat.list("bob").conversations.map(\.name) == ["Team"])
        let outcome = try chat.send("one", from: "bob", to: ref)
        #expect(outcome.deliveries.first?.users == ["ada", "bob"])
        #expect(outcome.deliveries.first?.sparesOrigin == true)
        #expect(try chat.list("ada").totalUnread == 1)
        #expect(chat.code { try chat.send("x", from: "cyd", to: ref) } == .unknownGroup)
        #expect(
            chat.code { try chat.ask("cyd", .inviteToGroup(.init(group: group.id, members: ["cyd"]))) } == .unknownGroup
        )
        let invited = try chat.ask("bob", .inviteToGroup(.init(group: group.id, members: ["cyd", "ada"])))
        #expect(
            invited.deliveries.contains(
                told(
                    ["ada", "bob", "cyd"], .init(id: group.id, name: "Team", owner: "ada", size: 3, added: ["cyd"]))))
        #expect(try chat.texts("cyd", ref) == [])
        try chat.send("two", from: "cyd", to: ref)
        #expect(try chat.texts("cyd", ref) == ["two"])
        #expect(try chat.texts("ada", ref) == ["one", "two"])
        #expect(chat.code { try chat.ask("bob", .dismissGroup(.init(group: group.id))) } == .notPermitted)
        let left = try chat.ask("ada", .leaveGroup(.init(group: group.id)))
        #expect(
            left.deliveries.contains(
                told(["bob", "cyd"], .init(id: group.id, name: "Team", owner: "bob", size: 2, removed: ["ada"]))))
        #expect(chat.code { try chat.texts("ada", ref) } == .unknownGroup)
        #expect(try chat.list("ada") == .init(conversations: [], totalUnread: 0, hasMore: false))
        let dismissed = try chat.ask("bob", .dismissGroup(.init(group: group.id)))
        #expect(
            dismissed.deliveries.contains(
                .init(users: ["bob", "cyd"], event: .groupDismissed(.init(group: group.id)))))
        #expect(chat.code { try chat.ask("cyd", .group(.init(group: group.id))) } == .unknownGroup)
        #expect(try chat.list("cyd") == .init(conversations: [], totalUnread: 0, hasMore: false))
        while case .swept(.some, _) = try chat.apply("", .sweep(olderThan: nil, limit: 1)).answer {}
        #expect(chat.store.messageCount == 0)
    }

    @Test("CHT-10 a group has at most 500 members, and a user may create a limited number of groups")
    func limits() throws {
        let chat = Chatter()
        chat.limits.groupsPerUser = 2
        let full = (1..<500).map { "u\($0)" }
        let group = try chat.group("Full", "ada", full)
        #expect(group.members.count == 500)
        #expect(
            chat.code { try chat.ask("ada", .inviteToGroup(.init(group: group.id, members: ["one"]))) } == .groupFull)
        // Inviting existing members is possible in a full group.
        try chat.ask("ada", .inviteToGroup(.init(group: group.id, members: ["u1"])))
        #expect(chat.code { try chat.group("Fuller", "bob", full + ["one"]) } == .groupFull)
        let many = Array(repeating: "bob", count: 501)
        #expect(chat.code { try chat.group("Many", "bob", many) } == .groupFull)
        _ = try chat.group("Second", "ada", [])
        #expect(chat.code { try chat.group("Third", "ada", []) } == .limitReached)
    }

    @Test("CHT-10 groups that others add a user to do not count toward the groups that it may create")
    func quota() throws {
        let chat = Chatter()
        chat.limits.groupsPerUser = 2
        for number in 0..<20 { _ = try chat.group("Group \(number)", "maker \(number)", ["ada"]) }
        // No one can add the user to more groups, and the error does not tell how many groups it is in.
        do {
            _ = try chat.group("One more", "bob", ["ada"])
            Issue.record("made")
        } catch let error as SignalingError {
            #expect(error.code == .limitReached && error.limit == MessagingLimits.groupsKey)
            #expect(!error.message.contains { $0.isNumber } && !error.message.contains("ada"))
        }
        let own = try chat.group("Own", "ada", [])
        // A group counts for its creator even if another user owns it.
        try chat.ask("ada", .inviteToGroup(.init(group: own.id, members: ["bob"])))
        try chat.ask("ada", .leaveGroup(.init(group: own.id)))
        _ = try chat.group("Another", "ada", [])
        #expect(chat.code { try chat.group("Too many", "ada", []) } == .limitReached)
        for name in ["One", "Two"] { _ = try chat.group(name, "bob", []) }
        #expect(chat.code { try chat.group("Three", "bob", []) } == .limitReached)
    }

    @Test("a dismissed group counts until a sweep removes it, and keeps no data of users that never logged in")
    func dismissed() throws {
        let chat = Chatter()
        chat.limits.groupsPerUser = 1
        chat.now = 1_000_000
        func sweep() throws {
            while case .swept(.some, _) = try chat.apply("", .sweep(olderThan: nil, limit: 3)).answer {}
        }
        try chat.apply("bob", .login(name: nil))
        let group = try chat.group("Team", "ada", ["bob"] + (0..<20).map { "made up \($0)" })
        try chat.ask("ada", .dismissGroup(.init(group: group.id)))
        try sweep()
        #expect(chat.store.userCount == 2 && chat.store.entryCount == 2)
        #expect(chat.code { try chat.group("Next", "ada", []) } == .limitReached)
        chat.now += 30 * 86_400_000 + 1
        try sweep()
        _ = try chat.group("Next", "ada", [])
        // A client learns of the end however long it was offline.
        guard
            case .changes(let page) = try chat.ask("bob", .conversationChanges(.init(since: 0, count: 10))).answer
        else { return }
        #expect(page.deleted.map(\.ref) == [.group(group.id)])
        // The group's record is removed with its last users.
        for user in ["ada", "bob"] {
            while try chat.apply(user, .removeSlice(limit: 10)).answer == .sliceRemoved(isDone: false) {}
        }
        try sweep()
        #expect(chat.store.userCount == 0 && chat.store.entryCount == 0)
    }

    @Test("CHT-5 a user who never logged in but has another conversation learns of a dismissed group at any later time")
    func strangers() throws {
        let chat = Chatter()
        func sweep() throws {
            while case .swept(.some, _) = try chat.apply("", .sweep(olderThan: nil, limit: 3)).answer {}
        }
        func changes(_ user: String, since: Int64 = 0) throws -> ConversationChangesRequest.Answer {
            let request = ConversationChangesRequest(since: since, count: 10)
            guard case .changes(let page) = try chat.ask(user, .conversationChanges(request)).answer else {
                throw SignalingError(.internalError)
            }
            return page
        }
        let one = try chat.group("One", "bob", ["xan", "yan"])
        let three = try chat.group("Three", "bob", ["zoe"])
        let two = try chat.group("Two", "ada", ["xan"])
        try chat.send("hello", from: "ada", to: .peer("zoe"))
        // State of clients that joined a session and only asked for changes.
        let (xan, yan, zoe) = (try changes("xan"), try changes("yan"), try changes("zoe"))
        for group in [one, three] { try chat.ask("bob", .dismissGroup(.init(group: group.id))) }
        try sweep()
        for (user, known, group) in [("xan", xan, one), ("zoe", zoe, three)] {
            let page = try changes(user, since: known.cursor)
            #expect(page.store == known.store && page.deleted.map(\.ref) == [.group(group.id)])
        }
        // A user without another conversation is forgotten, so its client gets a new store id and starts from the beginning.
        #expect(try changes("yan", since: yan.cursor).store != yan.store)
        #expect(chat.store.userCount == 4)
        // Removing a user's last group removes the user, and with it the group that only this user could still learn of.
        while try chat.apply("bob", .removeSlice(limit: 10)).answer == .sliceRemoved(isDone: false) {}
        chat.now += 30 * 86_400_000 + 1
        try sweep()
        #expect(chat.store.threadCount == 4)
        try chat.ask("ada", .dismissGroup(.init(group: two.id)))
        try sweep()
        #expect(try changes("xan", since: xan.cursor).store != xan.store)
        #expect(chat.store.userCount == 2 && chat.store.entryCount == 4 && chat.store.threadCount == 3)
    }

    @Test("the cost of a command is the number of users that it names or notifies")
    func cost() throws {
        let chat = Chatter()
        let key = UserKey(app: "app", id: "ada")
        let others = (0..<99).map { "u\($0)" }
        let create = MessagingRequest.createGroup(.init(name: "Large", members: others))
        #expect(MessagingCommand(user: key, action: .request(create)).cost == 100)
        #expect(MessagingCommand(user: key, action: .login(name: "Ada")).cost == 1)
        #expect(MessagingCommand.sweep(olderThan: nil, limit: 500).cost == 500)
        let made = try chat.ask("ada", create)
        #expect(made.cost == 200)
        guard case .group(let group) = made.answer else { return }
        let invite = MessagingRequest.inviteToGroup(.init(group: group.id, members: ["one", "two"]))
        #expect(MessagingCommand(user: key, action: .request(invite)).cost == 3)
        #expect(try chat.send("x", from: "ada", to: .group(group.id)).cost == 100)
        #expect(try chat.ask("u1", .leaveGroup(.init(group: group.id))).cost == 100)
        #expect(try chat.send("x", from: "ada", to: .peer("bob")).cost == 2)
        #expect(try chat.ask("ada", .group(.init(group: group.id))).cost == 1)
    }

    @Test("CHT-2 the event of a large group's change has a few names and the size instead of all members")
    func largeChange() throws {
        let chat = Chatter()
        let others = (0..<99).map { "u\($0)" }
        let made = try chat.ask("ada", .createGroup(.init(name: "Large", members: others)))
        let changes = made.deliveries.compactMap { delivery -> GroupChanged? in
            guard case .groupChanged(let change) = delivery.event else { return nil }
            return change
        }
        let change = try #require(changes.first)
        #expect(changes.count == 1 && change.size == 100 && change.removed == [])
        #expect(change.added == ["ada"] + others.prefix(GroupChanged.maximumNamed - 1))
    }

    @Test(
        "names and ids of a group are checked",
        arguments: [
            "", String(repeating: "n", count: 201), "a\u{7}", "a\u{202E}b", "a\u{200B}b", "a\u{2028}", "\u{E000}",
            "\u{2066}a",
        ])
    func names(_ name: String) {
        let chat = Chatter()
        #expect(chat.code { try chat.group(name, "ada", []) } == .invalidField)
        #expect(chat.code { try chat.group("Team", "ada", [name]) } == .invalidField)
    }

    @Test("a user who is invited again starts with default settings and an empty history")
    func again() throws {
        let chat = Chatter()
        let group = try chat.group("Team", "ada", ["bob"])
        let ref = ConversationRef.group(group.id)
        try chat.ask("bob", .setNotification(.init(conversation: ref, status: .doNotDisturb)))
        try chat.send("one", from: "ada", to: ref)
        try chat.ask("bob", .leaveGroup(.init(group: group.id)))
        try chat.send("two", from: "ada", to: ref)
        try chat.ask("ada", .inviteToGroup(.init(group: group.id, members: ["bob"])))
        #expect(try chat.texts("bob", ref) == [])
        try chat.send("three", from: "ada", to: ref)
        #expect(try chat.texts("bob", ref) == ["three"])
        #expect(try chat.list("bob").totalUnread == 1)
    }
}
