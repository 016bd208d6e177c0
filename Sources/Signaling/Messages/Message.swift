/// A message of a conversation, from one user's view.
public struct Message: Hashable, Sendable, Codable, Identifiable {
    /// Id chosen by the sender's client, unique for the sender. A repeated id is the same message.
    public var id: String
    /// Position in the conversation, from 1. Numbers may have gaps.
    public var number: Int64
    public var conversation: ConversationRef
    /// User id of the sender, which may be this user.
    public var from: String
    public var text: String
    /// Milliseconds since 1970 by the relay's clock. Never decreases within a conversation.
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
