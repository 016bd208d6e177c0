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
