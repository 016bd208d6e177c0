import Signaling

/// What a change of the store means for who looks at it.
struct StoreChange: Sendable {
    /// On the list now, and not before.
    var added: [Conversation] = []
    /// On the list before, with a new state.
    var updated: [Conversation] = []
    var deleted: [ConversationRef] = []
    /// Nil: as it was.
    var totalUnread: Int?

    /// As events, in their order.
    var events: [ConversationEvent] {
        var events: [ConversationEvent] = []
        if !added.isEmpty || !updated.isEmpty || !deleted.isEmpty {
            events.append(.conversationsChanged(added: added, updated: updated, deleted: deleted))
        }
        if let totalUnread { events.append(.totalUnreadChanged(totalUnread)) }
        return events
    }
}
