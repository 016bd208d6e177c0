internal import Signaling

/// What a change of the store means for who looks at it.
struct StoreChange: Sendable {
    var conversations: [Conversation] = []
    var deleted: [ConversationRef] = []
    /// Nil: as it was.
    var totalUnread: Int?

    /// As events, in their order.
    var events: [ConversationEvent] {
        var events: [ConversationEvent] = []
        if !conversations.isEmpty || !deleted.isEmpty {
            events.append(.conversationsChanged(conversations, deleted: deleted))
        }
        if let totalUnread { events.append(.totalUnreadChanged(totalUnread)) }
        return events
    }
}
