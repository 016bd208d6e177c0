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

    /// Returns nil if the body is not about conversations.
    public init?(_ body: any RequestBody) {
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
}
