/// A conversation that is not in the list of its user, any more or for now.
public struct DeletedConversation: Hashable, Sendable, Codable {
    public var type: ConversationType
    /// The other user's id, or the id of the group.
    public var id: String
    /// Larger is the newer state of this conversation, as in `Conversation`: what is older than the state that one has is passed over.
    public var change: Int64
    /// As in `Conversation`. Messages that are newer stay, and are there again with the conversation.
    public var clearedThrough: Int64

    public init(type: ConversationType, id: String, change: Int64, clearedThrough: Int64 = 0) {
        self.type = type
        self.id = id
        self.change = change
        self.clearedThrough = clearedThrough
    }

    public var ref: ConversationRef { ConversationRef(type: type, id: id) }
}
