/// Sets the unread count of one conversation to 0.
public struct ClearUnreadRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.clearUnread

    public var conversation: ConversationRef

    public init(conversation: ConversationRef) {
        self.conversation = conversation
    }
}
