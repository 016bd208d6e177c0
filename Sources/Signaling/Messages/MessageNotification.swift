/// A new message of another user, in a conversation that is not muted.
public struct MessageNotification: Hashable, Sendable, Codable {
    public var conversation: ConversationRef
    public var message: Message

    public init(conversation: ConversationRef, message: Message) {
        self.conversation = conversation
        self.message = message
    }
}
