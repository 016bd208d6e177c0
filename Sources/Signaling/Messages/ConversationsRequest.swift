/// Reads a page of the user's conversations, newest first.
public struct ConversationsRequest: RequestBody {
    public static let method = "conversations"
    public static let permission: Permission = .user

    /// `order` of the last conversation that the client has; nil for the first page.
    public var before: Int64?
    /// 1 to 100.
    public var count: Int

    public init(before: Int64? = nil, count: Int) {
        self.before = before
        self.count = count
    }

    public struct Answer: Hashable, Sendable, Codable {
        public var conversations: [Conversation]
        /// Unread messages of all conversations that are not muted.
        public var totalUnread: Int
        public var hasMore: Bool

        public init(conversations: [Conversation], totalUnread: Int, hasMore: Bool) {
            self.conversations = conversations
            self.totalUnread = totalUnread
            self.hasMore = hasMore
        }
    }
}
