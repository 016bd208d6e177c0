/// Deletes all messages of a conversation that there are now, for oneself. Others keep theirs.
public struct DeleteMessagesRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.deleteMessages

    public var conversation: ConversationRef

    public init(conversation: ConversationRef) {
        self.conversation = conversation
    }
}
