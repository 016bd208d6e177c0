/// A conversation in the list of one of its users.
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
    /// Number of the last message that is gone for this user on all of its devices: it deleted them up to there, or they are older than its
    /// membership. 0: none.
    public var clearedThrough: Int64

    public init(
        type: ConversationType, id: String, name: String, unread: Int, lastMessage: Message? = nil, order: Int64,
        change: Int64, notification: NotificationStatus = .notify, clearedThrough: Int64 = 0
    ) {
        self.type = type
        self.id = id
        self.name = name
        self.unread = unread
        self.lastMessage = lastMessage
        self.order = order
        self.change = change
        self.notification = notification
        self.clearedThrough = clearedThrough
    }

    /// An earlier relay says nothing of what is cleared.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(ConversationType.self, forKey: .type)
        id = try container.decode(String.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        unread = try container.decode(Int.self, forKey: .unread)
        lastMessage = try container.decodeIfPresent(Message.self, forKey: .lastMessage)
        order = try container.decode(Int64.self, forKey: .order)
        change = try container.decode(Int64.self, forKey: .change)
        notification = try container.decode(NotificationStatus.self, forKey: .notification)
        clearedThrough = try container.decodeIfPresent(Int64.self, forKey: .clearedThrough) ?? 0
    }

    public var ref: ConversationRef { ConversationRef(type: type, id: id) }
}
