/// Kind of a conversation.
public enum ConversationType: Int, Hashable, Sendable, Codable, CaseIterable {
    /// Two users.
    case peer = 0
    case group = 2
}

/// Reference to a conversation from one user's view.
public struct ConversationRef: Hashable, Sendable, Codable {
    public var type: ConversationType
    /// Id of the other user (`user_identity` of its token) or of the group.
    public var id: String

    public init(type: ConversationType, id: String) {
        self.type = type
        self.id = id
    }

    public static func peer(_ user: String) -> ConversationRef { ConversationRef(type: .peer, id: user) }
    public static func group(_ id: String) -> ConversationRef { ConversationRef(type: .group, id: id) }
}

/// Notifications about new messages of a conversation.
public enum NotificationStatus: Int, Hashable, Sendable, Codable, CaseIterable {
    case notify = 1
    /// Messages count as unread in the conversation, but not in the total, and cause no notification.
    case doNotDisturb = 2
}

/// A conversation in the list of one of its users.
public struct Conversation: Hashable, Sendable, Codable {
    public var type: ConversationType
    /// Id of the other user or of the group.
    public var id: String
    /// Name of the group, or display name of the other user, or its id if it has no display name.
    public var name: String
    /// Number of unread messages of other users.
    public var unread: Int
    public var lastMessage: Message?
    /// Position in the list; larger is newer.
    public var order: Int64
    /// Version of this conversation's state; a client keeps the state with the larger number.
    public var change: Int64
    public var notification: NotificationStatus
    /// Number of the last message that this user cannot see on any device: it deleted the messages up to there, or
    /// joined the group after them. 0 if there is none.
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

    /// Decodes states of earlier relays, which have no `clearedThrough`.
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

/// Limits of conversations that a client can check by itself.
public enum ConversationLimits {
    /// Conversations, messages or changes in one page.
    public static let pageSize = 1...100
    /// Bytes of UTF-8 texts in one page. A page that reaches them ends early and sets `hasMore`.
    public static let pageBytes = 256 * 1_024
    /// Printable ASCII characters of a message id.
    public static let messageIDCharacters = MessageIDRule.characters
    /// Characters of a user id.
    public static let userIDCharacters = 1...35
    /// Members of a group, including its owner.
    public static let groupMembers = 500
    /// Characters of a group's name and of a user's display name.
    public static let nameCharacters = 200
}
