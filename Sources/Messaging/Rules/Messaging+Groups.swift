import Signaling

extension Messaging {
    /// Returns the users of these ids without duplicates and without `known`, and creates missing ones.
    private func users(_ ids: [String], app: String, besides known: Set<UserRecord.ID>) throws -> [UserRecord] {
        for id in ids {
            guard let objection = UserRule.objection(toID: id) else { continue }
            throw SignalingError(.invalidField, objection, field: "members")
        }
        var seen = known
        return try ids.map { try made(UserKey(app: app, id: $0)) }.filter { seen.insert($0.id).inserted }
    }

    /// Checks the size of a group and the number of groups that its new members are in.
    /// - Parameter newcomers: users added by another user. The error does not reveal which of them is in too many
    ///   groups.
    private func check(size: Int, _ newcomers: [UserRecord]) throws {
        guard size <= limits.groupMembers else { throw groupFull }
        guard newcomers.allSatisfy({ $0.groups < limits.membershipsPerUser }) else {
            throw SignalingError(
                .limitReached, "a user is in too many groups to be added to another", field: "members",
                limit: MessagingLimits.groupsKey)
        }
    }

    mutating func createGroup(_ request: CreateGroupRequest, by key: UserKey, id: String) throws -> Group {
        if let objection = UserRule.objection(toName: request.name, subject: "the group's name") {
            throw SignalingError(.invalidField, objection, field: "name")
        }
        // More ids than this contain duplicates or exceed the limit; they are not looked up.
        guard request.members.count <= ConversationLimits.groupMembers else { throw groupFull }
        let owner = try acting(key)
        // Counts groups that the user created, not groups that others added it to.
        guard try store.groups(madeBy: owner.id) < limits.groupsPerUser else {
            throw SignalingError(
                .limitReached, "a user makes at most \(limits.groupsPerUser) groups", limit: MessagingLimits.groupsKey)
        }
        let others = try users(request.members, app: key.app, besides: [owner.id])
        try check(size: others.count + 1, others)
        let thread = try store.insertThread(.group(id: id, name: request.name, owner: owner.id))
        for (index, user) in ([owner] + others).enumerated() { try add(user, to: thread, joined: Int64(index) + 1) }
        return try announceGroup(thread, added: [owner] + others)
    }

    private var groupFull: SignalingError {
        SignalingError(
            .groupFull, "a group has at most \(limits.groupMembers) members", field: "members",
            limit: MessagingLimits.groupMembersKey)
    }

    /// Adds a member; the conversation appears in its list at once.
    private mutating func add(_ user: UserRecord, to thread: ThreadRecord, joined: Int64) throws {
        var user = user
        user.groups += 1
        var entry = EntryRecord(user: user.id, thread: thread.id)
        entry.joined = joined
        entry.isListed = true
        entry.readThrough = thread.lastNumber
        entry.clearedThrough = thread.lastNumber
        entry.order = max(user.tick + 1, now)
        var member = MemberRecord(user: user, entry: entry)
        try commit(&member, counted: 0) { ListedRecord(entry: $0, thread: thread, peer: nil, last: nil) }
    }

    /// Notifies each member of the changes, without the list of all members, whose total size would be quadratic.
    private mutating func announceGroup(
        _ thread: ThreadRecord, added: [UserRecord] = [], removed: [UserRecord] = []
    ) throws -> Group {
        let group = try self.group(thread, store.members(of: thread.id))
        func named(_ users: [UserRecord]) -> [String] { users.prefix(GroupChanged.maximumNamed).map(\.key.id) }
        let change = GroupChanged(
            id: group.id, name: group.name, owner: group.owner, size: group.members.count, added: named(added),
            removed: named(removed))
        deliveries.append(MessageDelivery(users: group.members, event: .groupChanged(change)))
        cost += group.members.count
        return group
    }

    private func group(_ thread: ThreadRecord, _ members: [MemberRecord]) throws -> Group {
        guard case .group(let id, let name, let owner) = thread.kind else { throw SignalingError(.unknownGroup) }
        let ownerID = members.first { $0.user.id == owner }?.user.key.id ?? ""
        return Group(id: id, name: name, owner: ownerID, members: members.map(\.user.key.id))
    }

    func group(_ id: String, of key: UserKey) throws -> Group {
        let (_, thread) = try groupMembership(id, of: key)
        return try group(thread, store.members(of: thread.id))
    }

    func groupMembership(_ id: String, of key: UserKey) throws -> (member: MemberRecord, thread: ThreadRecord) {
        do {
            return try membership(in: .group(id), of: key)
        } catch let error as SignalingError {
            throw SignalingError(error.code, field: "group")
        }
    }

    mutating func invite(_ request: InviteToGroupRequest, by key: UserKey) throws -> Group {
        guard request.members.count <= ConversationLimits.groupMembers else { throw groupFull }
        let (_, thread) = try groupMembership(request.group, of: key)
        let members = try store.members(of: thread.id)
        let newcomers = try users(request.members, app: key.app, besides: Set(members.map(\.user.id)))
        guard !newcomers.isEmpty else { return try group(thread, members) }
        try check(size: members.count + newcomers.count, newcomers)
        var joined = members.last?.entry.joined ?? 0
        for user in newcomers {
            joined += 1
            try add(user, to: thread, joined: joined)
        }
        return try announceGroup(thread, added: newcomers)
    }

    mutating func leaveGroup(_ id: String, _ key: UserKey) throws {
        let (member, thread) = try groupMembership(id, of: key)
        try leave(member, thread)
    }

    /// Removes a member. If the owner leaves, the next member becomes owner; if no member remains, the group ends.
    mutating func leave(_ member: MemberRecord, _ thread: ThreadRecord) throws {
        guard case .group(let id, let name, let owner) = thread.kind else { return }
        try part(member, thread)
        let rest = try store.members(of: thread.id)
        guard let heir = rest.first else { return try end(thread) }
        var thread = thread
        if owner == member.user.id {
            thread.kind = .group(id: id, name: name, owner: heir.user.id)
            try store.update(thread)
        }
        _ = try announceGroup(thread, removed: [member.user])
    }

    /// Ends a membership and removes the conversation from the user's list.
    private mutating func part(_ leaving: MemberRecord, _ thread: ThreadRecord) throws {
        var member = leaving
        let counted = member.entry.counted
        member.user.groups -= 1
        member.entry.joined = 0
        member.entry.isListed = false
        member.entry.isMuted = false
        member.entry.unread = 0
        member.entry.readThrough = thread.lastNumber
        member.entry.clearedThrough = thread.lastNumber
        try commit(&member, counted: counted)
    }

    private func end(_ ended: ThreadRecord) throws {
        var thread = ended
        thread.isDismissed = true
        thread.endedAt = max(now, 1)
        // At least 1 even without messages, because the sweep that purges the group also removes its strangers.
        thread.purgeThrough = max(thread.lastNumber, 1)
        try store.update(thread)
    }

    mutating func dismissGroup(_ id: String, by key: UserKey) throws {
        let (member, thread) = try groupMembership(id, of: key)
        guard case .group(_, _, let owner) = thread.kind, owner == member.user.id else {
            throw SignalingError(.notPermitted, "only its owner may dismiss a group")
        }
        let members = try store.members(of: thread.id)
        for member in members { try part(member, thread) }
        try end(thread)
        let event = MessagingEvent.groupDismissed(GroupDismissed(group: id))
        deliveries.append(MessageDelivery(users: members.map(\.user.key.id), event: event))
    }
}
