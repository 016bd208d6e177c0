import Signaling

/// Visible effects of a change of the store.
struct StoreChange: Sendable {
    /// Conversations added to the list.
    var added: [Conversation] = []
    /// Conversations already on the list, with a new state.
    var updated: [Conversation] = []
    var deleted: [ConversationRef] = []
    /// New total unread count; nil if unchanged.
    var totalUnread: Int?

    /// Events for the application, in order.
    var events: [ConversationEvent] {
        var events: [ConversationEvent] = []
        if !added.isEmpty || !updated.isEmpty || !deleted.isEmpty {
            events.append(.conversationsChanged(added: added, updated: updated, deleted: deleted))
        }
        if let totalUnread { events.append(.totalUnreadChanged(totalUnread)) }
        return events
    }
}
