import Signaling

/// Rules of conversations, within one transaction of a store at one time. A `SignalingError` means that the command was
/// refused; after any error the caller rolls back.
package struct Messaging<Store: MessageTransaction> {
    package let store: Store
    package let limits: MessagingLimits
    /// Milliseconds since 1970.
    package let now: Int64
    var deliveries: [MessageDelivery] = []
    /// Value of `MessagingOutcome.cost` so far.
    var cost = 0

    package init(_ store: Store, limits: MessagingLimits = MessagingLimits(), now: Int64) {
        self.store = store
        self.limits = limits
        self.now = now
    }

    /// Performs one command.
    /// - Throws: `SignalingError` if the user's request is refused; errors of the store.
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

    /// Returns the store id for one user. It changes if the user is deleted and created again.
    func storeID(of user: UserRecord) -> String { "\(store.storeID).\(user.id).\(user.created)" }

    // MARK: shared steps

    /// Returns the user's record and creates it if necessary.
    func made(_ key: UserKey) throws -> UserRecord {
        if let user = try store.user(key) { return user }
        return try store.insertUser(key, now: now)
    }

    /// Returns the record of a user who acts itself, and marks it: records of users that only others refer to are
    /// removed with their last group.
    func acting(_ key: UserKey) throws -> UserRecord {
        var user = try made(key)
        guard !user.hasActed else { return user }
        user.hasActed = true
        try store.update(user)
        return user
    }

    /// Returns a conversation that the user is a member of.
    func membership(in ref: ConversationRef, of key: UserKey) throws -> (member: MemberRecord, thread: ThreadRecord) {
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

    /// Stores a changed member with a new tick and total, and notifies its user.
    ///
    /// - Parameters:
    ///   - counted: contribution of the entry to the total before the change.
    ///   - row: makes the row for the event; nil reads it from the store.
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

    /// Stores a member's entry and user, and notifies the user of a new total.
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
