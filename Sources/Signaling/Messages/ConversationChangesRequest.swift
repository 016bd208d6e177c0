/// What changed since a client was last in step: its own copy of the list is brought up to date without reading all of it.
public struct ConversationChangesRequest: RequestBody {
    public static let method = Method.conversationChanges

    /// `cursor` of the answer before; 0: all there is.
    public var since: Int64
    /// 1 to 100.
    public var count: Int

    public init(since: Int64, count: Int) {
        self.since = since
        self.count = count
    }

    public struct Answer: Hashable, Sendable, Codable {
        /// Their whole new state, oldest change first.
        public var conversations: [Conversation]
        /// Not in the list any more.
        public var deleted: [DeletedConversation]
        public var totalUnread: Int
        /// As that of `login`.
        public var store: String
        /// For the next request.
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
