/// Writes to everybody in the room that one is in, the main session or a subsession, or to one of them.
public struct ChatRequest: RequestBody {
    public static let method = Method.chat
    /// 1 byte to 8 KiB of UTF-8.
    public var text: String
    /// Nil: everybody, the sender included.
    public var to: ConnectionID?
    /// Its id: 1 to 64 printable ASCII characters, new for each message of this user. Sent again with the same id it is said once and
    /// answered as before. Nil: each is a message of its own.
    public var id: String?

    public init(text: String, to: ConnectionID? = nil, id: String? = nil) {
        self.text = text
        self.to = to
        self.id = id
    }

    /// What is wrong with it, the same here and at the relay.
    public var objection: SignalingError? {
        id.flatMap { MessageIDRule.objection(to: $0, field: "id") } ?? TextRule.objection(to: text)
    }

    public struct Answer: Hashable, Sendable, Codable {
        public var message: ChatMessageID
        /// Milliseconds since 1970.
        public var time: Int64
        public init(message: ChatMessageID, time: Int64) {
            self.message = message
            self.time = time
        }
    }
}
