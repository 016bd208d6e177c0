/// A request about the user's conversations, in a session or without one.
public enum MessagingRequest: Hashable, Sendable {
    case sendMessage(SendMessageRequest)
    case conversations(ConversationsRequest)
    case history(HistoryRequest)
    case conversationChanges(ConversationChangesRequest)
    case clearUnread(ClearUnreadRequest)
    case setNotification(SetNotificationRequest)
    case deleteConversation(DeleteConversationRequest)
    case deleteMessages(DeleteMessagesRequest)
    case createGroup(CreateGroupRequest)
    case group(GroupRequest)
    case inviteToGroup(InviteToGroupRequest)
    case leaveGroup(LeaveGroupRequest)
    case dismissGroup(DismissGroupRequest)

    /// Names on the wire.
    public static let methods: Set<Method> = [
        .sendMessage, .conversations, .history, .conversationChanges, .clearUnread, .setNotification,
        .deleteConversation, .deleteMessages, .createGroup, .group, .inviteToGroup, .leaveGroup, .dismissGroup,
    ]

    public var method: Method {
        switch self {
        case .sendMessage: .sendMessage
        case .conversations: .conversations
        case .history: .history
        case .conversationChanges: .conversationChanges
        case .clearUnread: .clearUnread
        case .setNotification: .setNotification
        case .deleteConversation: .deleteConversation
        case .deleteMessages: .deleteMessages
        case .createGroup: .createGroup
        case .group: .group
        case .inviteToGroup: .inviteToGroup
        case .leaveGroup: .leaveGroup
        case .dismissGroup: .dismissGroup
        }
    }

    /// Returns nil if the body is not about conversations.
    public init?(_ body: some RequestBody) {
        switch body {
        case let body as SendMessageRequest: self = .sendMessage(body)
        case let body as ConversationsRequest: self = .conversations(body)
        case let body as HistoryRequest: self = .history(body)
        case let body as ConversationChangesRequest: self = .conversationChanges(body)
        case let body as ClearUnreadRequest: self = .clearUnread(body)
        case let body as SetNotificationRequest: self = .setNotification(body)
        case let body as DeleteConversationRequest: self = .deleteConversation(body)
        case let body as DeleteMessagesRequest: self = .deleteMessages(body)
        case let body as CreateGroupRequest: self = .createGroup(body)
        case let body as GroupRequest: self = .group(body)
        case let body as InviteToGroupRequest: self = .inviteToGroup(body)
        case let body as LeaveGroupRequest: self = .leaveGroup(body)
        case let body as DismissGroupRequest: self = .dismissGroup(body)
        default: return nil
        }
    }

    /// - Parameter container: holds the parameters under `key`.
    init<Key>(_ method: Method, from container: KeyedDecodingContainer<Key>, key: Key) throws {
        func body<Body: RequestBody>(_ type: Body.Type) throws -> Body { try container.decode(type, forKey: key) }
        switch method {
        case .sendMessage: self = .sendMessage(try body(SendMessageRequest.self))
        case .conversations: self = .conversations(try body(ConversationsRequest.self))
        case .history: self = .history(try body(HistoryRequest.self))
        case .conversationChanges: self = .conversationChanges(try body(ConversationChangesRequest.self))
        case .clearUnread: self = .clearUnread(try body(ClearUnreadRequest.self))
        case .setNotification: self = .setNotification(try body(SetNotificationRequest.self))
        case .deleteConversation: self = .deleteConversation(try body(DeleteConversationRequest.self))
        case .deleteMessages: self = .deleteMessages(try body(DeleteMessagesRequest.self))
        case .createGroup: self = .createGroup(try body(CreateGroupRequest.self))
        case .group: self = .group(try body(GroupRequest.self))
        case .inviteToGroup: self = .inviteToGroup(try body(InviteToGroupRequest.self))
        case .leaveGroup: self = .leaveGroup(try body(LeaveGroupRequest.self))
        case .dismissGroup: self = .dismissGroup(try body(DismissGroupRequest.self))
        default:
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "\(method.rawValue) is not about conversations")
        }
    }

    func encodeBody<Key>(to container: inout KeyedEncodingContainer<Key>, key: Key) throws {
        switch self {
        case .sendMessage(let body): try container.encode(body, forKey: key)
        case .conversations(let body): try container.encode(body, forKey: key)
        case .history(let body): try container.encode(body, forKey: key)
        case .conversationChanges(let body): try container.encode(body, forKey: key)
        case .clearUnread(let body): try container.encode(body, forKey: key)
        case .setNotification(let body): try container.encode(body, forKey: key)
        case .deleteConversation(let body): try container.encode(body, forKey: key)
        case .deleteMessages(let body): try container.encode(body, forKey: key)
        case .createGroup(let body): try container.encode(body, forKey: key)
        case .group(let body): try container.encode(body, forKey: key)
        case .inviteToGroup(let body): try container.encode(body, forKey: key)
        case .leaveGroup(let body): try container.encode(body, forKey: key)
        case .dismissGroup(let body): try container.encode(body, forKey: key)
        }
    }
}
