import Signaling

/// The rules of conversations, over one transaction of a store at one moment. Whatever throws has changed nothing, or its transaction is
/// to be rolled back (errors that are no `SignalingError`).
package struct Messaging<Store: MessageTransaction> {
    package let store: Store
    package let limits: MessagingLimits
    /// Milliseconds since 1970.
    package let now: Int64
    var deliveries: [MessageDelivery] = []
    /// As `MessagingOutcome.cost`.
    var cost = 0

    package init(_ store: Store, limits: MessagingLimits = MessagingLimits(), now: Int64) {
        self.store = store
        self.limits = limits
        self.now = now
    }

    /// Carries out one command.
    /// - Throws: `SignalingError` for what the user may not do or ask; the store's own errors.
    package mutating func apply(_ command: MessagingCommand) throws -> MessagingOutcome {
        deliveries = []
        cost = 0
        let answer = try perform(command)
        return MessagingOutcome(answer: answer, deliveries: deliveries, cost: max(cost, 1))
    }

    private mutating func perform(_ command: MessagingCommand) throws -> MessagingAnswer {
        switch command.action {
        case .login(let name):
            try check(command.user)
            return .loggedIn(try login(command.user, name: name))
        case .request(let request):
            try check(command.user)
            return try perform(request, by: command.user, newGroup: command.newGroup)
        case .sweep(let time, let limit): return try sweep(olderThan: time, limit: limit)
        case .removeSlice(let limit): return .sliceRemoved(isDone: try removeSlice(of: command.user, limit: limit))
        }
    }

    private func check(_ user: UserKey) throws {
        if let objection = UserRule.objection(toID: user.id) { throw SignalingError(.identityMissing, objection) }
    }

    private mutating func perform(
        _ request: MessagingRequest, by key: UserKey, newGroup: String
    ) throws -> MessagingAnswer {
        switch request {
        case .sendMessage(let body): return .sent(try send(body, by: key))
        case .conversations(let body): return .conversations(try conversations(body, of: key))
        case .history(let body): return .history(try history(body, of: key))
        case .conversationChanges(let body): return .changes(try changes(body, of: key))
        case .clearUnread(let body): try clearUnread(body.conversation, of: key)
        case .setNotification(let body): try setNotification(body.status, body.conversation, of: key)
        case .deleteConversation(let body): try deleteConversation(body.conversation, of: key)
        case .deleteMessages(let body): try deleteMessages(body.conversation, of: key)
        case .createGroup(let body): return .group(try createGroup(body, by: key, id: newGroup))
        case .group(let body): return .group(try group(body.group, of: key))
        case .inviteToGroup(let body): return .group(try invite(body, by: key))
        case .leaveGroup(let body): try leaveGroup(body.group, key)
        case .dismissGroup(let body): try dismissGroup(body.group, by: key)
        }
        return .done
    }

    private mutating func login(_ key: UserKey, name: String?) throws -> LoginRequest.Answer {
        if let name, !name.isEmpty, let objection = UserRule.objection(toName: name, subject: "the display name") {
            throw SignalingError(.invalidField, objection, field: "name")
        }
        var user = try acting(key)
        if let name, !name.utf8.elementsEqual(user.name.utf8) {
            user.name = name
            try store.update(user)
            try announceName(of: user)
        }
        return LoginRequest.Answer(user: key.id, store: storeID(of: user), cursor: user.tick)
    }

    /// Another one for a user that was deleted and is there again.
    func storeID(of user: UserRecord) -> String { "\(store.storeID).\(user.id).\(user.created)" }

    // MARK: shared steps

    /// The user's record, made where there is none.
    func made(_ key: UserKey) throws -> UserRecord {
        if let user = try store.user(key) { return user }
        return try store.insertUser(key, now: now)
    }

    /// The record of a user who does something itself: others' words alone do not keep one for ever.
    func acting(_ key: UserKey) throws -> UserRecord {
        var user = try made(key)
        guard !user.hasActed else { return user }
        user.hasActed = true
        try store.update(user)
        return user
    }

    /// A conversation that the user has.
    func place(_ ref: ConversationRef, of key: UserKey) throws -> (member: MemberRecord, thread: ThreadRecord) {
        let unknown = SignalingError(
            ref.type == .group ? .unknownGroup : .unknownConversation, field: "conversation")
        guard let user = try store.user(key) else { throw unknown }
        let found: ThreadRecord?
        switch ref.type {
        case .peer:
            guard let peer = try store.user(UserKey(app: key.app, id: ref.id)) else { throw unknown }
            found = try store.thread(user.id, peer.id)
        case .group: found = try store.thread(group: ref.id)
        }
        guard let thread = found, let entry = try store.entry(user.id, thread.id), entry.joined > 0 else {
            throw unknown
        }
        return (MemberRecord(user: user, entry: entry), thread)
    }

    /// Stores a member's view after a change of it, with the change's tick and the user's total, and tells its user.
    ///
    /// - Parameters:
    ///   - counted: what the entry added to the total before.
    ///   - row: what is told; nil: it is read from the store.
    mutating func commit(_ member: inout MemberRecord, counted: Int, row: ((EntryRecord) -> ListedRecord)? = nil) throws
    {
        cost += 1
        member.entry.change = member.user.advance(now: now)
        try settle(&member, counted: counted)
        guard member.entry.isListed else {
            guard let listed = try store.listed(member.entry) else { return }
            return tell(
                member.user,
                .conversationsChanged(ConversationsChanged(deleted: [deleted(listed)], cursor: member.user.tick)))
        }
        let listed = try row.map { $0(member.entry) } ?? store.listed(member.entry)
        guard let listed else { return }
        let change = ConversationsChanged(conversations: [conversation(listed)], cursor: member.user.tick)
        tell(member.user, .conversationsChanged(change))
    }

    /// Stores both halves of a member, and tells of a total that is another.
    mutating func settle(_ member: inout MemberRecord, counted: Int) throws {
        let difference = member.entry.counted - counted
        member.user.totalUnread += difference
        try store.save(member.entry)
        try store.update(member.user)
        guard difference != 0 else { return }
        tell(member.user, .totalUnreadChanged(TotalUnreadChanged(total: member.user.totalUnread)))
    }

    mutating func tell(_ user: UserRecord, _ event: MessagingEvent, sparesOrigin: Bool = false) {
        deliveries.append(MessageDelivery(users: [user.key.id], event: event, sparesOrigin: sparesOrigin))
    }
}
