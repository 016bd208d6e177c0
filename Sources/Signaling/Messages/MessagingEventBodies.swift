/// A new message. A user's own messages are sent to its other connections.
public struct MessageReceived: Hashable, Sendable, Codable {
    public var message: Message

    public init(message: Message) {
        self.message = message
    }
}

/// A new message of another user, in a conversation that is not muted.
public struct MessageNotification: Hashable, Sendable, Codable {
    public var conversation: ConversationRef
    public var message: Message

    public init(conversation: ConversationRef, message: Message) {
        self.conversation = conversation
        self.message = message
    }
}

/// Conversations that were added, changed or removed.
public struct ConversationsChanged: Hashable, Sendable, Codable {
    /// Complete new states.
    public var conversations: [Conversation]
    /// Conversations that left the list. A conversation is repeated if more of its messages were deleted since.
    public var deleted: [DeletedConversation]
    /// Number of the user's newest change, including this event.
    public var cursor: Int64

    public init(conversations: [Conversation] = [], deleted: [DeletedConversation] = [], cursor: Int64) {
        self.conversations = conversations
        self.deleted = deleted
        self.cursor = cursor
    }
}

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

/// Number of unread messages in all conversations that are not muted.
public struct TotalUnreadChanged: Hashable, Sendable, Codable {
    public var total: Int

    public init(total: Int) {
        self.total = total
    }
}

/// A group that the user is a member of is new, or its members or owner changed. Use `group` to read all members.
public struct GroupChanged: Hashable, Sendable, Codable {
    /// Maximum number of ids in `added` and in `removed`.
    public static let maximumNamed = 20

    public var id: String
    public var name: String
    /// Id of the user who may dismiss the group.
    public var owner: String
    /// Number of members after the change.
    public var size: Int
    /// Ids of the first 20 new members.
    public var added: [String]
    /// Ids of the first 20 former members.
    public var removed: [String]

    public init(id: String, name: String, owner: String, size: Int, added: [String] = [], removed: [String] = []) {
        self.id = id
        self.name = name
        self.owner = owner
        self.size = size
        self.added = added
        self.removed = removed
    }
}

/// A group that the user was a member of was dismissed.
public struct GroupDismissed: Hashable, Sendable, Codable {
    public var group: String

    public init(group: String) {
        self.group = group
    }
}
