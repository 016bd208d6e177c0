/// A page of a conversation's messages: the newest, or those next to a message that one has.
public struct HistoryRequest: RequestBody {
    public static let method = Method.history

    public var conversation: ConversationRef
    /// Only messages with smaller numbers, the nearest `count`.
    public var before: Int64?
    /// Only messages with larger numbers, the nearest `count`; not together with `before`.
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
        /// In ascending order of their numbers, whichever way one goes.
        public var messages: [Message]
        /// In the direction that one goes.
        public var hasMore: Bool

        public init(messages: [Message], hasMore: Bool) {
            self.messages = messages
            self.hasMore = hasMore
        }
    }
}
