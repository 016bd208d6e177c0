/// A conversation that is not in the user's list, permanently or until its next message.
public struct DeletedConversation: Hashable, Sendable, Codable {
    public var type: ConversationType
    /// The other user's id, or the id of the group.
    public var id: String
    /// Version of this conversation's state, as in `Conversation`. A client ignores the entry if it has a larger
    /// number.
    public var change: Int64
    /// As in `Conversation`. Newer messages are visible again when the conversation returns.
    public var clearedThrough: Int64

    public init(type: ConversationType, id: String, change: Int64, clearedThrough: Int64 = 0) {
        self.type = type
        self.id = id
        self.change = change
        self.clearedThrough = clearedThrough
    }

    public var ref: ConversationRef { ConversationRef(type: type, id: id) }
}
