/// Writes to everybody in the room that one is in, the main session or a subsession, or to one of them (CHT-1, SUB-6).
public struct ChatRequest: RequestBody {
    public static let method = Method.chat
    /// 1 byte to 8 KiB of UTF-8.
    public var text: String
    /// Nil: everybody, the sender included.
    public var to: ConnectionID?

    public init(text: String, to: ConnectionID? = nil) {
        self.text = text
        self.to = to
    }

    /// What is wrong with it, the same here and at the relay.
    public var objection: SignalingError? { TextRule.objection(to: text) }

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
