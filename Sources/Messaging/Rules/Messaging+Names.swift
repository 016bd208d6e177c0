import Signaling

extension Messaging {
    /// Announces a user's new display name to the other users of the most recently changed one-to-one conversations.
    /// The rest see it with the next message.
    mutating func announceName(of user: UserRecord) throws {
        for entry in try store.newestEntries(of: user.id, limit: MessagingLimits.toldOfName) {
            guard let thread = try store.thread(id: entry.thread) else { continue }
            try tellName(of: user.id, in: thread)
        }
    }

    /// Sends the other user of a one-to-one conversation its new state, with the name from the store.
    mutating func tellName(of user: UserRecord.ID, in thread: ThreadRecord) throws {
        guard let other = thread.peer(of: user), let peer = try store.user(id: other),
            let entry = try store.entry(other, thread.id), entry.joined > 0, entry.isListed
        else { return }
        var member = MemberRecord(user: peer, entry: entry)
        try commit(&member, counted: entry.counted)
    }
}
