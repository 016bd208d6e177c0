/// Mutes or unmutes a conversation.
public struct SetNotificationRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.setNotification

    public var conversation: ConversationRef
    public var status: NotificationStatus

    public init(conversation: ConversationRef, status: NotificationStatus) {
        self.conversation = conversation
        self.status = status
    }
}
