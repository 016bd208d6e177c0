/// Removes a conversation from the user's list. Its messages stay; a new message brings it back.
public struct DeleteConversationRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.deleteConversation

    public var conversation: ConversationRef

    public init(conversation: ConversationRef) {
        self.conversation = conversation
    }
}
