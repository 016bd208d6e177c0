import Signaling

extension Messaging {
    /// Sets the number of unread messages to 0 (CHT-6).
    mutating func clearUnread(_ ref: ConversationRef, of key: UserKey) throws {
        var (member, thread) = try membership(in: ref, of: key)
        guard member.entry.unread > 0 else { return }
        let counted = member.entry.counted
        member.entry.unread = 0
        member.entry.readThrough = thread.lastNumber
        try commit(&member, counted: counted)
    }

    /// Mutes or unmutes a conversation (CHT-7).
    mutating func setNotification(_ status: NotificationStatus, _ ref: ConversationRef, of key: UserKey) throws {
        var (member, _) = try membership(in: ref, of: key)
        guard member.entry.isMuted != (status == .doNotDisturb) else { return }
        let counted = member.entry.counted
        member.entry.isMuted.toggle()
        try commit(&member, counted: counted)
    }

    /// Removes a conversation from the list until a new message arrives; its messages stay (CHT-8).
    mutating func deleteConversation(_ ref: ConversationRef, of key: UserKey) throws {
        var (member, thread) = try membership(in: ref, of: key)
        guard member.entry.isListed else { return }
        let counted = member.entry.counted
        member.entry.isListed = false
        member.entry.unread = 0
        member.entry.readThrough = thread.lastNumber
        try commit(&member, counted: counted)
    }

    /// Hides all current messages from the user (CHT-8). Messages that are hidden from all members are removed from the
    /// store later.
    mutating func deleteMessages(_ ref: ConversationRef, of key: UserKey) throws {
        var (member, thread) = try membership(in: ref, of: key)
        guard member.entry.clearedThrough < thread.lastNumber else { return }
        let counted = member.entry.counted
        member.entry.clearedThrough = thread.lastNumber
        member.entry.readThrough = thread.lastNumber
        member.entry.unread = 0
        try commit(&member, counted: counted)
        let cleared = try store.members(of: thread.id).map(\.entry.clearedThrough).min() ?? thread.lastNumber
        guard cleared > thread.purgeThrough, thread.firstTime != nil else { return }
        thread.purgeThrough = cleared
        try store.update(thread)
    }
}
