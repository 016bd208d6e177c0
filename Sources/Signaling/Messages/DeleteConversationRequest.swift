/// Takes a conversation off one's own list. Its messages stay; a new one brings it back.
public struct DeleteConversationRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.deleteConversation

    public var conversation: ConversationRef

    public init(conversation: ConversationRef) {
        self.conversation = conversation
    }
}
