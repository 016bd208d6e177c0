/// Sends a message. The answer follows after the message is on disk. A repeated id is stored once and gets the same
/// answer.
public struct SendMessageRequest: RequestBody {
    public static let method = "sendMessage"
    public static let permission: Permission = .user

    /// A user of the app, or a group that the sender is a member of.
    public var conversation: ConversationRef
    /// Id of the message: 1 to 64 printable ASCII characters, unique among this user's messages.
    public var message: String
    /// 1 byte to 8 KiB of UTF-8.
    public var text: String

    public init(conversation: ConversationRef, message: String, text: String) {
        self.conversation = conversation
        self.message = message
        self.text = text
    }

    public struct Answer: Hashable, Sendable, Codable {
        public var number: Int64
        /// Milliseconds since 1970.
        public var time: Int64

        public init(number: Int64, time: Int64) {
            self.number = number
            self.time = time
        }
    }

    /// Validation error, or nil if the request is valid. The relay uses the same check.
    public var objection: SignalingError? {
        MessageIDRule.objection(to: message, field: "message") ?? TextRule.objection(to: text)
    }
}

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

/// Deletes all current messages of a conversation for this user. Other users keep theirs.
public struct DeleteMessagesRequest: RequestBody {
    public static let method = "deleteMessages"
    public static let permission: Permission = .user

    public var conversation: ConversationRef

    public init(conversation: ConversationRef) {
        self.conversation = conversation
    }
}
