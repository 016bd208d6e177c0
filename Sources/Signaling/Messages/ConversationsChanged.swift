/// Conversations that were added or changed, or left the list.
public struct ConversationsChanged: Hashable, Sendable, Codable {
    /// Their whole new state.
    public var conversations: [Conversation]
    /// Off the list; again where more of their messages were deleted since.
    public var deleted: [DeletedConversation]
    /// Where the user's conversations stand with this.
    public var cursor: Int64

    public init(conversations: [Conversation] = [], deleted: [DeletedConversation] = [], cursor: Int64) {
        self.conversations = conversations
        self.deleted = deleted
        self.cursor = cursor
    }
}
