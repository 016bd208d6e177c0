package import Signaling

/// A client's copy of its list, built only from events or from changes.
package struct ConversationReplica {
    package private(set) var conversations: [ConversationRef: Conversation] = [:]
    /// Deleted conversations.
    package private(set) var deleted: [ConversationRef: DeletedConversation] = [:]
    package private(set) var totalUnread = 0
    package private(set) var cursor: Int64 = 0
    package private(set) var store = ""

    package init() {}

    package mutating func take(_ event: MessagingEvent) {
        switch event {
        case .conversationsChanged(let body):
            for conversation in body.conversations { take(conversation) }
            for entry in body.deleted { take(entry) }
            cursor = max(cursor, body.cursor)
        case .totalUnreadChanged(let body): totalUnread = body.total
        case .messageReceived, .notification, .groupChanged, .groupDismissed: break
        }
    }

    package mutating func take(_ answer: ConversationChangesRequest.Answer) {
        if answer.store != store {
            self = ConversationReplica()
            store = answer.store
        }
        for conversation in answer.conversations { take(conversation) }
        for entry in answer.deleted { take(entry) }
        totalUnread = answer.totalUnread
        cursor = answer.cursor
    }

    private func change(_ ref: ConversationRef) -> Int64 {
        max(conversations[ref]?.change ?? 0, deleted[ref]?.change ?? 0)
    }

    private mutating func take(_ conversation: Conversation) {
        guard conversation.change >= change(conversation.ref) else { return }
        conversations[conversation.ref] = conversation
        deleted[conversation.ref] = nil
    }

    private mutating func take(_ entry: DeletedConversation) {
        guard entry.change >= change(entry.ref) else { return }
        conversations[entry.ref] = nil
        deleted[entry.ref] = entry
    }

    /// Conversations, newest first.
    package var list: [Conversation] { conversations.values.sorted { $0.order > $1.order } }
}
