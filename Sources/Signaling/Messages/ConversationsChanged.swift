/// Conversations that were added, changed or removed.
public struct ConversationsChanged: Hashable, Sendable, Codable {
    /// Complete new states.
    public var conversations: [Conversation]
    /// Conversations that left the list. A conversation is repeated if more of its messages were deleted since.
    public var deleted: [DeletedConversation]
    /// Number of the user's newest change, including this event.
    public var cursor: Int64

    public init(conversations: [Conversation] = [], deleted: [DeletedConversation] = [], cursor: Int64) {
        self.conversations = conversations
        self.deleted = deleted
        self.cursor = cursor
    }
}
