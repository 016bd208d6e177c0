/// Mutes or unmutes a conversation.
public struct SetNotificationRequest: RequestBody {
    public static let method = "setNotification"
    public static let permission: Permission = .user

    public var conversation: ConversationRef
    public var status: NotificationStatus

    public init(conversation: ConversationRef, status: NotificationStatus) {
        self.conversation = conversation
        self.status = status
    }
}
