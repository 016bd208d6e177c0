/// A conversation in the list of one of its users (CHT-3).
public struct Conversation: Hashable, Sendable, Codable {
    public var type: ConversationType
    /// The other user's id, or the id of the group.
    public var id: String
    /// Of the group; the other user's display name, or its id where it gave none.
    public var name: String
    /// Messages of others since it was last cleared.
    public var unread: Int
    public var lastMessage: Message?
    /// Larger is newer; the list goes by it.
    public var order: Int64
    /// Larger is the newer state of this conversation: the one to keep of two.
    public var change: Int64
    public var notification: NotificationStatus

    public init(
        type: ConversationType, id: String, name: String, unread: Int, lastMessage: Message? = nil, order: Int64,
        change: Int64, notification: NotificationStatus = .notify
    ) {
        self.type = type
        self.id = id
        self.name = name
        self.unread = unread
        self.lastMessage = lastMessage
        self.order = order
        self.change = change
        self.notification = notification
    }

    public var ref: ConversationRef { ConversationRef(type: type, id: id) }
}
