/// Deletes all current messages of a conversation for this user. Other users keep theirs.
public struct DeleteMessagesRequest: RequestBody {
    public static let method = "deleteMessages"
    public static let permission: Permission = .user

    public var conversation: ConversationRef

    public init(conversation: ConversationRef) {
        self.conversation = conversation
    }
}
