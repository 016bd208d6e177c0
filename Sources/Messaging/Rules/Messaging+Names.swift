import Signaling

extension Messaging {
    /// Those who have the user in their lists are told how it is called now: the other users of the conversations that changed last. Others see
    /// it with the next message.
    mutating func announceName(of user: UserRecord) throws {
        for entry in try store.newestEntries(of: user.id, limit: MessagingLimits.toldOfName) {
            guard let thread = try store.thread(id: entry.thread) else { continue }
            try tellName(of: user.id, in: thread)
        }
    }

    /// The other of two users is told of the conversation anew, with the user's name as it is stored.
    mutating func tellName(of user: UserRecord.ID, in thread: ThreadRecord) throws {
        guard let other = thread.peer(of: user), let peer = try store.user(id: other),
            let entry = try store.entry(other, thread.id), entry.joined > 0, entry.isListed
        else { return }
        var member = MemberRecord(user: peer, entry: entry)
        try commit(&member, counted: entry.counted)
    }
}
