/// Sends a text. Answered once it is on disk; sent again with the same id it is stored once and answered as before.
public struct SendMessageRequest: RequestBody {
    public static let method = Method.sendMessage

    /// Any user of the app, or a group that one is a member of.
    public var conversation: ConversationRef
    /// Its id: 1 to 64 printable ASCII characters, new for each message of this user.
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

    /// What is wrong with it, the same here and at the relay.
    public var objection: SignalingError? {
        MessageIDRule.objection(to: message, field: "message") ?? TextRule.objection(to: text)
    }
}
