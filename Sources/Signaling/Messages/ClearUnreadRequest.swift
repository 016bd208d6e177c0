/// Sets the unread count of one conversation to 0.
public struct ClearUnreadRequest: RequestBody {
    public static let method = "clearUnread"
    public static let permission: Permission = .user

    public var conversation: ConversationRef

    public init(conversation: ConversationRef) {
        self.conversation = conversation
    }
}
