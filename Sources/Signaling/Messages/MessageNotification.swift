/// A new message of somebody else that its user is to notice: not of muted conversations.
public struct MessageNotification: Hashable, Sendable, Codable {
    public var conversation: ConversationRef
    public var message: Message

    public init(conversation: ConversationRef, message: Message) {
        self.conversation = conversation
        self.message = message
    }
}
