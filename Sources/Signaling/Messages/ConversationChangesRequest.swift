/// Reads the changes since the client's last update, so that it does not have to read the whole list again.
public struct ConversationChangesRequest: RequestBody {
    public static let method = "conversationChanges"
    public static let permission: Permission = .user

    /// `cursor` of the previous answer; 0 for all conversations.
    public var since: Int64
    /// 1 to 100.
    public var count: Int

    public init(since: Int64, count: Int) {
        self.since = since
        self.count = count
    }

    public struct Answer: Hashable, Sendable, Codable {
        /// Complete new states, oldest change first.
        public var conversations: [Conversation]
        /// Conversations that are no longer in the list.
        public var deleted: [DeletedConversation]
        public var totalUnread: Int
        /// Id of the relay's store, as in the answer of `login`.
        public var store: String
        /// Value of `since` for the next request.
        public var cursor: Int64
        public var hasMore: Bool

        public init(
            conversations: [Conversation], deleted: [DeletedConversation], totalUnread: Int, store: String,
            cursor: Int64, hasMore: Bool
        ) {
            self.conversations = conversations
            self.deleted = deleted
            self.totalUnread = totalUnread
            self.store = store
            self.cursor = cursor
            self.hasMore = hasMore
        }
    }
}
