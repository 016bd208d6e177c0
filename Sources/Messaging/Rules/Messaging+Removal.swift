import Signaling

extension Messaging {
    /// Removes one slice of what is too old, or what nobody sees any more.
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

    /// Nobody sees them: nothing is told.
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

    /// Users who did nothing themselves are forgotten with their last group. They may have clients all the same, of a session that they
    /// joined: those begin anew with another store id. So all that is written down of such a user goes at once, or stays.
    ///
    /// - Returns: whether none of them is left in it.
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

    /// It counts for its maker no more. That it is gone stays written down for those whose clients may not know it yet.
    private func clearAway(_ group: ThreadRecord) throws {
        var thread = group
        thread.endedAt = 0
        thread.creator = 0
        try store.update(thread)
        try store.removeIfForsaken(thread)
    }

    /// Their ids are known for a while: a client that did not hear the answer sends them again.
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
        // Times do not go back within a thread: they are its beginning.
        let rows = oldest.prefix { $0.record.time < time }.map(\.record)
        try discard(rows)
        try renewFirstTime(&thread)
        try store.update(thread)
        return (rows.count, try missed(rows, in: thread).app)
    }

    /// Messages are gone: those who had not read them, and those who saw one of them last, are told.
    ///
    /// - Returns: the app of those who were looked at, and how many they were.
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

    /// Removes one slice of a user: its name, the messages it sent, its memberships, its conversations, itself.
    ///
    /// - Returns: whether nothing is left of it.
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

    /// Others' conversations with the user keep its id; the rest is gone. Who comes by that id again is somebody new.
    private func forget(_ forgotten: UserRecord) throws {
        try store.disown(groupsOf: forgotten.id)
        guard try store.isNamed(forgotten.id) else { return try store.removeUser(forgotten.id) }
        var user = UserRecord(id: forgotten.id, key: forgotten.key, created: max(forgotten.tick + 1, now))
        user.name = ""
        try store.update(user)
    }

    /// Some of the messages of one sender. One to a large group is as dear as many to other users.
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
