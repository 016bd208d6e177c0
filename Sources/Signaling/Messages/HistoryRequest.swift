/// Reads a page of a conversation's messages: the newest, or those before or after a message.
public struct HistoryRequest: RequestBody {
    public static let method = "history"
    public static let permission: Permission = .user

    public var conversation: ConversationRef
    /// Limits the page to the nearest `count` messages with smaller numbers.
    public var before: Int64?
    /// Limits the page to the nearest `count` messages with larger numbers. Not together with `before`.
    public var after: Int64?
    /// 1 to 100.
    public var count: Int

    public init(conversation: ConversationRef, before: Int64? = nil, after: Int64? = nil, count: Int) {
        self.conversation = conversation
        self.before = before
        self.after = after
        self.count = count
    }

    public struct Answer: Hashable, Sendable, Codable {
        /// Messages in ascending order of number, in both directions.
        public var messages: [Message]
        /// Whether there are more messages in the requested direction.
        public var hasMore: Bool

        public init(messages: [Message], hasMore: Bool) {
            self.messages = messages
            self.hasMore = hasMore
        }
    }
}
