/// Deletes all current messages of a conversation for this user. Other users keep theirs.
public struct DeleteMessagesRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.deleteMessages

    public var conversation: ConversationRef

    public init(conversation: ConversationRef) {
        self.conversation = conversation
    }
}
