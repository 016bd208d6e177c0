/// Reads a page of the user's conversations, newest first.
public struct ConversationsRequest: RequestBody {
    public static let method = "conversations"
    public static let permission: Permission = .user

    /// `order` of the last conversation that the client has; nil for the first page.
    public var before: Int64?
    /// 1 to 100.
    public var count: Int

    public init(before: Int64? = nil, count: Int) {
        self.before = before
        self.count = count
    }

    public struct Answer: Hashable, Sendable, Codable {
        public var conversations: [Conversation]
        /// Unread messages of all conversations that are not muted.
        public var totalUnread: Int
        public var hasMore: Bool

        public init(conversations: [Conversation], totalUnread: Int, hasMore: Bool) {
            self.conversations = conversations
            self.totalUnread = totalUnread
            self.hasMore = hasMore
        }
    }
}

/// Reads the changes since the client's last update, so that it does not have to read the whole list again.
public struct ConversationChangesRequest: RequestBody {
    public static let method = "conversationChanges"
    public static let permission: Permission = .user

    /// `cursor` of the previous answer; 0 for all conversations.
    public var since: Int64
    /// 1 to 100.
    public var count: Int

    public init(since: Int64, count: Int) {
        self.since = since
        self.count = count
    }

    public struct Answer: Hashable, Sendable, Codable {
        /// Complete new states, oldest change first.
        public var conversations: [Conversation]
        /// Conversations that are no longer in the list.
        public var deleted: [DeletedConversation]
        public var totalUnread: Int
        /// Id of the relay's store, as in the answer of `login`.
        public var store: String
        /// Value of `since` for the next request.
        public var cursor: Int64
        public var hasMore: Bool

        public init(
            conversations: [Conversation], deleted: [DeletedConversation], totalUnread: Int, store: String,
            cursor: Int64, hasMore: Bool
        ) {
            self.conversations = conversations
            self.deleted = deleted
            self.totalUnread = totalUnread
            self.store = store
            self.cursor = cursor
            self.hasMore = hasMore
        }
    }
}

/// Mutes or unmutes a conversation.
public struct SetNotificationRequest: RequestBody {
    public static let method = "setNotification"
    public static let permission: Permission = .user

    public var conversation: ConversationRef
    public var status: NotificationStatus

    public init(conversation: ConversationRef, status: NotificationStatus) {
        self.conversation = conversation
        self.status = status
    }
}

/// Sets the unread count of one conversation to 0.
public struct ClearUnreadRequest: RequestBody {
    public static let method = "clearUnread"
    public static let permission: Permission = .user

    public var conversation: ConversationRef

    public init(conversation: ConversationRef) {
        self.conversation = conversation
    }
}

/// Removes a conversation from the user's list. Its messages stay; a new message brings it back.
public struct DeleteConversationRequest: RequestBody {
    public static let method = "deleteConversation"
    public static let permission: Permission = .user

    public var conversation: ConversationRef

    public init(conversation: ConversationRef) {
        self.conversation = conversation
    }
}
