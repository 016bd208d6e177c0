import GRDB
import Signaling

/// Applies the relay's answers and events to the store.
extension ConversationStore {
    /// Begins after a login. If the stored conversations belong to another user or another relay store, they are deleted. Unsent
    /// messages are kept if the user is the same.
    /// - Returns: whether the store was reset, and the cursor from which to request changes.
    func begin(_ login: LoginRequest.Answer) async throws(SessionError) -> StoreStart {
        try await write { db in
            let (user, store) = (try MetaTable.text(db, .user), try MetaTable.text(db, .store))
            let cursor = try MetaTable.cursor(db)
            if user == login.user, store == login.store, cursor <= login.cursor {
                return StoreStart(isReset: false, since: cursor)
            }
            try db.execute(sql: "DELETE FROM conversation")
            try db.execute(sql: "DELETE FROM message")
            if let user, user != login.user { try db.execute(sql: "DELETE FROM outgoing") }
            try MetaTable.set(db, .user, login.user)
            try MetaTable.set(db, .store, login.store)
            try MetaTable.set(db, .cursor, "0")
            return StoreStart(isReset: user != nil, since: 0)
        }
    }

    /// Applies changed conversations.
    /// - Parameters:
    ///   - cursor: position up to which all changes are known afterwards; nil if earlier changes may be missing.
    ///   - isLive: true for an event received while synchronized; false for changes that happened while the client was away, so that
    ///     messages in between may be missing.
    func take(
        _ conversations: [Conversation], deleted: [DeletedConversation], cursor: Int64?, isLive: Bool
    ) async throws(SessionError) -> StoreChange {
        try await write { db in
            try Self.change(db) { change in
                for conversation in conversations {
                    guard let new = try Self.take(db, conversation, isLive: isLive) else { continue }
                    if new.isAdded { change.added.append(new.state) } else { change.updated.append(new.state) }
                }
                for gone in deleted {
                    let wasVisible = try Self.take(db, gone, isLive: isLive)
                    if wasVisible { change.deleted.append(gone.ref) }
                }
                if let cursor, try MetaTable.cursor(db) < cursor { try MetaTable.set(db, .cursor, "\(cursor)") }
            }
        }
    }

    /// - Returns: the new state on this device if the conversation is visible and has changed, and whether it was added to the list.
    private static func take(
        _ db: Database, _ told: Conversation, isLive: Bool
    ) throws -> (state: Conversation, isAdded: Bool)? {
        let former = try ConversationTable.find(db, told.ref)
        if let former, former.conversation.change > told.change { return nil }
        var entry =
            former ?? ConversationTable.Entry(conversation: told, isListed: true, hidden: -1, isCurrent: false)
        // The relay does not know about conversations hidden on this device only, and its unread count includes their messages.
        entry.hiddenUnread = min(entry.hiddenUnread, max(0, told.unread))
        var conversation = told
        conversation.unread -= entry.hiddenUnread
        entry.conversation = conversation
        entry.isListed = true
        try HistoryTable.remove(db, conversation.ref, through: conversation.clearedThrough)
        if let last = conversation.lastMessage {
            if !isLive, try HistoryTable.highest(db, conversation.ref) != last.number { entry.isCurrent = false }
            try ConversationTable.save(db, entry)
            try HistoryTable.insert(db, last, joined: false)
        } else {
            // The conversation has no messages any more, so messages received from now on are complete.
            try HistoryTable.removeAll(db, conversation.ref)
            entry.isCurrent = true
            try ConversationTable.save(db, entry)
        }
        guard entry.isVisible else { return nil }
        guard var before = former?.conversation, former?.isVisible == true else { return (conversation, true) }
        before.change = conversation.change
        return before == conversation ? nil : (conversation, false)
    }

    /// Applies a conversation that is no longer on the relay's list. Its row is kept, so that an older state cannot restore it.
    /// - Returns: whether it was visible until now.
    private static func take(_ db: Database, _ gone: DeletedConversation, isLive: Bool) throws -> Bool {
        let former = try ConversationTable.find(db, gone.ref)
        if let former, former.conversation.change > gone.change { return false }
        let unknown = Conversation(
            type: gone.type, id: gone.id, name: gone.id, unread: 0, order: 0, change: gone.change)
        var entry =
            former ?? ConversationTable.Entry(conversation: unknown, isListed: false, hidden: -1, isCurrent: false)
        entry.isListed = false
        // Messages may have been sent before the conversation was removed.
        if !isLive { entry.isCurrent = false }
        entry.conversation.unread = 0
        entry.hiddenUnread = 0
        entry.conversation.change = gone.change
        entry.conversation.clearedThrough = gone.clearedThrough
        if let last = entry.conversation.lastMessage, last.number <= gone.clearedThrough {
            entry.conversation.lastMessage = nil
        }
        try HistoryTable.remove(db, gone.ref, through: gone.clearedThrough)
        try ConversationTable.save(db, entry)
        return former?.isVisible ?? false
    }

    /// Stores a message received as an event.
    /// - Parameter isLive: whether the client is synchronized.
    func take(_ message: Message, isLive: Bool) async throws(SessionError) {
        try await write { [self] db in
            let isCurrent = try ConversationTable.find(db, message.conversation)?.isCurrent ?? false
            try insert(db, message, joined: isLive && isCurrent)
        }
    }

    /// Stores the relay's answer to a history request.
    func take(
        _ ref: ConversationRef, _ asked: HistoryTable.Missing, _ answer: HistoryRequest.Answer
    ) async throws(SessionError) {
        try await write { db in try HistoryTable.store(db, ref, asked, answer) }
    }

    /// Hides a conversation on this device only, until it gets a new message.
    func hide(_ ref: ConversationRef) async throws(SessionError) -> StoreChange {
        try await write { db in
            try Self.change(db) { change in
                guard var entry = try ConversationTable.find(db, ref), entry.isVisible else { return }
                entry.hidden = entry.conversation.order
                // The messages stay unread at the relay. They must not count again if a new message restores the conversation.
                entry.hiddenUnread += entry.conversation.unread
                entry.conversation.unread = 0
                try ConversationTable.save(db, entry)
                change.deleted.append(ref)
            }
        }
    }

    /// Runs a change and records the total unread count if it changed.
    private static func change(_ db: Database, _ body: (inout StoreChange) throws -> Void) throws -> StoreChange {
        var change = StoreChange()
        let before = try ConversationTable.totalUnread(db)
        try body(&change)
        let after = try ConversationTable.totalUnread(db)
        if before != after { change.totalUnread = after }
        return change
    }
}
