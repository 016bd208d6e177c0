/// Removes a conversation from the user's list. Its messages stay; a new message brings it back.
public struct DeleteConversationRequest: RequestBody {
    public static let method = "deleteConversation"
    public static let permission: Permission = .user

    public var conversation: ConversationRef

    public init(conversation: ConversationRef) {
        self.conversation = conversation
    }
}
