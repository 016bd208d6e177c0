import Signaling

extension Messaging {
    /// Removes one slice of messages that are too old or no longer visible, of dismissed groups, or of receipts.
    mutating func sweep(olderThan time: Int64?, limit: Int) throws -> MessagingAnswer {
        if let thread = try store.threadToPurge() { return .swept(try purge(thread, limit: limit), app: "") }
        if let time, let thread = try store.thread(olderThan: time) {
            let (removed, app) = try expire(thread, before: time, limit: limit)
            return .swept(removed, app: app)
        }
        if let group = try store.group(endedBefore: now - limits.dismissedGroupAge) {
            try clearAway(group)
            return .swept(0, app: "")
        }
        let receipts = try store.removeReceipts(olderThan: now - limits.resendWindow, limit: limit)
        return .swept(receipts > 0 ? 0 : nil, app: "")
    }

    /// Removes one slice of messages that are no longer visible. Sends no events, because no user can see them.
    private func purge(_ purged: ThreadRecord, limit: Int) throws -> Int {
        var thread = purged
        let rows = try store.messages(
            of: thread.id, above: 0, below: thread.purgeThrough + 1, isNewestFirst: false, limit: limit)
        try discard(rows.map(\.record))
        if rows.count < limit, try letGoOfStrangers(thread, limit: limit - rows.count) { thread.purgeThrough = 0 }
        try renewFirstTime(&thread)
        try store.update(thread)
        return rows.count
    }

    /// Removes users who never acted themselves, when their last group is purged. Such a user may still have clients,
    /// if it joined a session; the new store id makes them discard their copy. Therefore all records of a user are
    /// removed in the same step.
    ///
    /// - Returns: whether no such user is left in the group.
    private func letGoOfStrangers(_ thread: ThreadRecord, limit: Int) throws -> Bool {
        guard thread.isDismissed else { return true }
        var removed = 0
        for stranger in try store.strangers(from: thread.id, limit: limit) {
            guard removed < limit else { return false }
            for entry in try store.entries(of: stranger.user, limit: .max) {
                try store.remove(entry)
                removed += 1
                guard entry.thread != thread.id, let other = try store.thread(id: entry.thread) else { continue }
                try store.removeIfForsaken(other)
            }
            try store.removeUser(stranger.user)
        }
        return removed < limit
    }

    /// Clears the creator and the time of a dismissed group. The thread stays while it has entries of former members,
    /// whose clients may not know of the dismissal yet.
    private func clearAway(_ group: ThreadRecord) throws {
        var thread = group
        thread.endedAt = 0
        thread.creator = 0
        try store.update(thread)
        try store.removeIfForsaken(thread)
    }

    /// Removes messages but keeps receipts: a client that missed the answer repeats the message.
    private func discard(_ messages: [MessageRecord]) throws {
        try store.remove(messages)
        for message in messages { try store.save(ReceiptRecord(message, removed: now)) }
    }

    private func renewFirstTime(_ thread: inout ThreadRecord) throws {
        let oldest = try store.messages(of: thread.id, above: 0, below: .max, isNewestFirst: false, limit: 1)
        thread.firstTime = oldest.first?.record.time
    }

    private mutating func expire(
        _ expired: ThreadRecord, before time: Int64, limit: Int
    ) throws -> (Int, String) {
        var thread = expired
        let oldest = try store.messages(of: thread.id, above: 0, below: .max, isNewestFirst: false, limit: limit)
        // Times never decrease within a thread, so the old messages are a prefix.
        let rows = oldest.prefix { $0.record.time < time }.map(\.record)
        try discard(rows)
        try renewFirstTime(&thread)
        try store.update(thread)
        return (rows.count, try missed(rows, in: thread).app)
    }

    /// Updates and notifies members who had not read the removed messages, or whose newest message is gone.
    ///
    /// - Returns: the app and the number of examined members.
    private mutating func missed(
        _ rows: [MessageRecord], in thread: ThreadRecord
    ) throws -> (app: String, looked: Int) {
        guard let newest = rows.map(\.number).max() else { return ("", 0) }
        let left = try store.messages(of: thread.id, above: 0, below: .max, isNewestFirst: true, limit: 1)
        let wasNewest = (left.first?.record.number ?? 0) < newest
        let members =
            try wasNewest
            ? store.members(of: thread.id) : store.members(of: thread.id, whoHaveNotRead: newest)
        for var member in members {
            let floor = max(member.entry.readThrough, thread.purgeThrough)
            let unread = rows.count { $0.number > floor && $0.sender != member.user.id }
            let sawItLast = wasNewest && newest > max(member.entry.clearedThrough, thread.purgeThrough)
            guard unread > 0 || sawItLast else { continue }
            let counted = member.entry.counted
            member.entry.unread = max(member.entry.unread - unread, 0)
            try commit(&member, counted: counted)
        }
        return (members.first?.user.key.app ?? "", members.count)
    }

    /// Removes one slice of a user's data, in this order: name, messages, receipts, memberships and conversations, the
    /// record itself.
    ///
    /// - Returns: whether the user is completely removed.
    mutating func removeSlice(of key: UserKey, limit: Int) throws -> Bool {
        guard var user = try store.user(key) else { return true }
        if !user.name.isEmpty {
            user.name = ""
            try store.update(user)
        }
        let messages = try store.messages(by: user.id, limit: limit)
        if !messages.isEmpty {
            try remove(messages, limit: limit)
            return false
        }
        if try store.removeReceipts(of: user.id, limit: limit) > 0 { return false }
        guard let entry = try store.entries(of: user.id, limit: 1).first,
            let thread = try store.thread(id: entry.thread)
        else {
            try forget(user)
            return true
        }
        if case .group = thread.kind, entry.joined > 0 { try leave(MemberRecord(user: user, entry: entry), thread) }
        try store.remove(entry)
        try tellName(of: user.id, in: thread)
        try store.removeIfForsaken(thread)
        return false
    }

    /// Removes a user's record. If other users' conversations still refer to it, the record stays with its id but is
    /// reset, so that a user who returns under this id is new.
    private func forget(_ forgotten: UserRecord) throws {
        try store.disown(groupsOf: forgotten.id)
        guard try store.isNamed(forgotten.id) else { return try store.removeUser(forgotten.id) }
        var user = UserRecord(id: forgotten.id, key: forgotten.key, created: max(forgotten.tick + 1, now))
        user.name = ""
        try store.update(user)
    }

    /// Removes messages of one sender. Stops after examining `limit` members, because one message to a large group
    /// costs as much as many to single users.
    private mutating func remove(_ messages: [MessageRecord], limit: Int) throws {
        var looked = 0
        for (id, rows) in Dictionary(grouping: messages, by: \.thread).sorted(by: { $0.key < $1.key }) {
            guard looked < limit else { return }
            try store.remove(rows)
            guard var thread = try store.thread(id: id) else { continue }
            try renewFirstTime(&thread)
            try store.update(thread)
            looked += try missed(rows, in: thread).looked
        }
    }
}
