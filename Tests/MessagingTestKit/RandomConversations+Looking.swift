import Messaging
import Signaling

extension RandomConversations {
    private mutating func answer(_ user: String, _ request: MessagingRequest) async -> MessagingAnswer? {
        let command = MessagingCommand(user: UserKey(app: app, id: user), action: .request(request))
        guard case .success(let outcome) = await apply(command, now) else { return nil }
        check(outcome.deliveries.isEmpty, "reading tells: \(outcome.deliveries)")
        return outcome.answer
    }

    /// Checks that all that a user can read, in pages of any size, and the state of its clients equal the model.
    package mutating func look(at user: String) async {
        guard let list = await list(of: user) else { return }
        let told = list.map {
            PlainConversations.Listed(
                ref: $0.ref, name: $0.name, unread: $0.unread, last: $0.lastMessage?.id,
                isMuted: $0.notification == .doNotDisturb, cleared: $0.clearedThrough)
        }
        check(told == model.list(of: user), "list of \(user): \(told), not \(model.list(of: user))")
        let replica = replicas[user] ?? ConversationReplica()
        check(replica.list == list, "events to \(user): \(replica.list), not \(list)")
        check(replica.totalUnread == model.total(of: user), "events to \(user): total \(replica.totalUnread)")
        checkDeleted(replica, user, "events")
        await follow(user, list)
        guard let ref = model.refs(of: user).randomElement(using: &random) else { return }
        let expected = (model.history(ref, of: user) ?? []).map { "\($0.number) \($0.sender) \($0.text) \($0.time)" }
        for isForward in [true, false] {
            let read = await history(ref, of: user, isForward: isForward)
            check(read == expected, "history of \(user) in \(ref): \(read), not \(expected)")
        }
    }

    private mutating func list(of user: String) async -> [Conversation]? {
        var list: [Conversation] = []
        let count = Int.random(in: 1...4, using: &random)
        while true {
            let request = ConversationsRequest(before: list.last?.order, count: count)
            guard case .conversations(let page) = await answer(user, .conversations(request)) else {
                check(false, "no list of \(user)")
                return nil
            }
            check(
                page.totalUnread == model.total(of: user),
                "total of \(user): \(page.totalUnread), not \(model.total(of: user))")
            list += page.conversations
            guard page.hasMore else { return list }
            guard page.conversations.count == count else {
                check(false, "a page of \(page.conversations.count) for \(count)")
                return nil
            }
        }
    }

    /// Simulates a client that asks for changes occasionally.
    private mutating func follow(_ user: String, _ list: [Conversation]) async {
        // The client logs in before it asks for changes.
        _ = await apply(MessagingCommand(user: UserKey(app: app, id: user), action: .login(name: nil)), now)
        var follower = followers[user] ?? ConversationReplica()
        for _ in 0..<1_000 {
            let count = Int.random(in: 1...3, using: &random)
            let request = ConversationChangesRequest(since: follower.cursor, count: count)
            guard case .changes(let page) = await answer(user, .conversationChanges(request)) else {
                return check(false, "no changes of \(user)")
            }
            if page.store != follower.store, follower.cursor > 0 {
                // A new user with the same id: the client starts from the beginning.
                follower = ConversationReplica()
                continue
            }
            follower.take(page)
            guard page.hasMore else { break }
        }
        followers[user] = follower
        check(follower.list == list, "changes of \(user): \(follower.list), not \(list)")
        check(follower.totalUnread == model.total(of: user), "changes of \(user): total \(follower.totalUnread)")
        checkDeleted(follower, user, "changes")
    }

    /// Checks that the replica has each deleted conversation with its last cleared message.
    private mutating func checkDeleted(_ replica: ConversationReplica, _ user: String, _ source: String) {
        for (ref, cleared) in model.deleted(of: user) {
            let told = replica.deleted[ref]
            check(told?.clearedThrough == cleared, "\(source) to \(user): \(ref) is \(told as Any), not \(cleared)")
        }
    }

    private mutating func history(_ ref: ConversationRef, of user: String, isForward: Bool) async -> [String] {
        var messages: [Message] = []
        let count = Int.random(in: 1...5, using: &random)
        while true {
            let request =
                isForward
                ? HistoryRequest(conversation: ref, after: messages.last?.number ?? 0, count: count)
                : HistoryRequest(conversation: ref, before: messages.first?.number, count: count)
            guard case .history(let page) = await answer(user, .history(request)) else { break }
            if isForward { messages += page.messages } else { messages = page.messages + messages }
            guard page.hasMore, !page.messages.isEmpty else { break }
        }
        return messages.map { "\($0.number) \($0.from) \($0.text) \($0.time)" }
    }
}
