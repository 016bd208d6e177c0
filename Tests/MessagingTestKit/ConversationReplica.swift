package import Signaling

/// What a client knows of its list by events, or by changes, without ever reading it whole.
package struct ConversationReplica {
    package private(set) var conversations: [ConversationRef: Conversation] = [:]
    package private(set) var totalUnread = 0
    package private(set) var cursor: Int64 = 0
    package private(set) var store = ""

    package init() {}

    package mutating func take(_ event: MessagingEvent) {
        switch event {
        case .conversationsChanged(let body):
            for conversation in body.conversations { take(conversation) }
            for ref in body.deleted { conversations[ref] = nil }
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
        for ref in answer.deleted { conversations[ref] = nil }
        totalUnread = answer.totalUnread
        cursor = answer.cursor
    }

    private mutating func take(_ conversation: Conversation) {
        guard conversation.change >= conversations[conversation.ref]?.change ?? 0 else { return }
        conversations[conversation.ref] = conversation
    }

    /// Newest first.
    package var list: [Conversation] { conversations.values.sorted { $0.order > $1.order } }
}
