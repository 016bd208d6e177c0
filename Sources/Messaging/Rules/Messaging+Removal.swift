internal import Signaling

extension Messaging {
    /// Removes one slice of what is too old, or what nobody sees any more.
    mutating func sweep(olderThan time: Int64?, limit: Int) throws -> MessagingAnswer {
        if let thread = try store.threadToPurge() { return .swept(try purge(thread, limit: limit), app: "") }
        guard let time, let thread = try store.thread(olderThan: time) else { return .swept(nil, app: "") }
        let (removed, app) = try expire(thread, before: time, limit: limit)
        return .swept(removed, app: app)
    }

    /// Nobody sees them: nothing is told.
    private func purge(_ purged: ThreadRecord, limit: Int) throws -> Int {
        var thread = purged
        let rows = try store.messages(
            of: thread.id, above: 0, below: thread.purgeThrough + 1, isNewestFirst: false, limit: limit)
        try store.remove(rows.map(\.record))
        if rows.count < limit { thread.purgeThrough = 0 }
        try renewFirstTime(&thread)
        try store.update(thread)
        return rows.count
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
        try store.remove(rows)
        try renewFirstTime(&thread)
        try store.update(thread)
        let app = try missed(rows, in: thread)
        return (rows.count, app)
    }

    /// Messages are gone: those who had not read them, and those who saw one of them last, are told.
    ///
    /// - Returns: the app of the thread's users.
    private mutating func missed(_ rows: [MessageRecord], in thread: ThreadRecord) throws -> String {
        guard let newest = rows.map(\.number).max() else { return "" }
        let members = try store.members(of: thread.id)
        for var member in members {
            let floor = max(member.entry.readThrough, thread.purgeThrough)
            let unread = rows.count { $0.number > floor && $0.sender != member.user.id }
            let sawOne = newest > max(member.entry.clearedThrough, thread.purgeThrough)
            let last = try store.messages(
                of: thread.id, above: member.entry.clearedThrough, below: .max, isNewestFirst: true, limit: 1)
            let wasLast = sawOne && (last.first?.record.number ?? 0) < newest
            guard unread > 0 || wasLast else { continue }
            let counted = member.entry.counted
            member.entry.unread = max(member.entry.unread - unread, 0)
            try commit(&member, counted: counted)
        }
        return members.first?.user.key.app ?? ""
    }

    /// Removes one slice of a user: the messages it sent, its memberships, its conversations, itself.
    ///
    /// - Returns: whether nothing is left of it.
    mutating func removeSlice(of key: UserKey, limit: Int) throws -> Bool {
        guard let user = try store.user(key) else { return true }
        let messages = try store.messages(by: user.id, limit: limit)
        if !messages.isEmpty {
            try remove(messages)
            return false
        }
        guard let entry = try store.entries(of: user.id, limit: 1).first,
            let thread = try store.thread(id: entry.thread)
        else {
            try forget(user)
            return true
        }
        if case .group = thread.kind, entry.joined > 0 { try leave(MemberRecord(user: user, entry: entry), thread) }
        try store.remove(entry)
        try store.removeIfForsaken(thread)
        return false
    }

    /// Others' conversations with the user keep its id; the rest is gone. Who comes by that id again is somebody new.
    private func forget(_ forgotten: UserRecord) throws {
        guard try store.isNamed(forgotten.id) else { return try store.removeUser(forgotten.id) }
        var user = UserRecord(id: forgotten.id, key: forgotten.key, created: max(forgotten.tick + 1, now))
        user.name = ""
        try store.update(user)
    }

    private mutating func remove(_ messages: [MessageRecord]) throws {
        try store.remove(messages)
        for (id, rows) in Dictionary(grouping: messages, by: \.thread).sorted(by: { $0.key < $1.key }) {
            guard var thread = try store.thread(id: id) else { continue }
            try renewFirstTime(&thread)
            try store.update(thread)
            _ = try missed(rows, in: thread)
        }
    }
}
