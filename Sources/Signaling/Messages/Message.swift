/// One text in a conversation, as one of its users sees it.
public struct Message: Hashable, Sendable, Codable, Identifiable {
    /// Made by the sender's client; its second arrival is the same message. Unique for its sender.
    public var id: String
    /// From 1 on, larger is later in its conversation. Numbers may be missing.
    public var number: Int64
    public var conversation: ConversationRef
    /// User id of the sender; one's own: it went out.
    public var from: String
    public var text: String
    /// Milliseconds since 1970 at the relay; does not go back within a conversation.
    public var time: Int64

    public init(id: String, number: Int64, conversation: ConversationRef, from: String, text: String, time: Int64) {
        self.id = id
        self.number = number
        self.conversation = conversation
        self.from = from
        self.text = text
        self.time = time
    }
}
