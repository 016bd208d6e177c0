import Signaling

extension Samples {
    static let peer = ConversationRef.peer("bob")
    static let message = Message(
        id: "m ~1", number: .max, conversation: .group("g-1"), from: "ada", text: "\u{1}\"🙂\"", time: .min)
    static let conversation = Conversation(
        type: .peer, id: "bob", name: "Bob", unread: 3, lastMessage: message, order: 7, change: 9,
        notification: .doNotDisturb, clearedThrough: .max)
    static let deletedConversation = DeletedConversation(type: .peer, id: "bob", change: .max, clearedThrough: 7)
    static let bareConversation = Conversation(type: .group, id: "g-1", name: "", unread: 0, order: 0, change: 0)
    static let group = Group(id: "g-1", name: "Team", owner: "ada", members: ["ada", "bob"])

    static let allRequests: [Request] =
        requests + [.login(LoginRequest(version: 9, token: "t", name: "Ada")), .login(LoginRequest())]
        + messagingRequests.map { .messaging($0) }
    static let allEvents: [Event] = events + messagingEvents.map { .messaging($0) }

    static let messagingRequests: [MessagingRequest] = [
        .sendMessage(SendMessageRequest(conversation: peer, message: "m-1", text: "hello")),
        .conversations(ConversationsRequest(before: 7, count: 100)), .conversations(ConversationsRequest(count: 1)),
        .history(HistoryRequest(conversation: peer, before: 7, count: 1)),
        .history(HistoryRequest(conversation: peer, after: 0, count: .max)),
        .conversationChanges(ConversationChangesRequest(since: .max, count: 1)),
        .clearUnread(ClearUnreadRequest(conversation: peer)),
        .setNotification(SetNotificationRequest(conversation: peer, status: .doNotDisturb)),
        .deleteConversation(DeleteConversationRequest(conversation: peer)),
        .deleteMessages(DeleteMessagesRequest(conversation: peer)),
        .createGroup(CreateGroupRequest(name: "Team", members: ["bob"])), .group(GroupRequest(group: "g-1")),
        .inviteToGroup(InviteToGroupRequest(group: "g-1", members: ["eve", ""])),
        .leaveGroup(LeaveGroupRequest(group: "g-1")), .dismissGroup(DismissGroupRequest(group: "g-1")),
    ]

    static let messagingEvents: [MessagingEvent] = [
        .messageReceived(MessageReceived(message: message)),
        .notification(MessageNotification(conversation: peer, message: message)),
        .conversationsChanged(
            ConversationsChanged(
                conversations: [conversation, bareConversation], deleted: [deletedConversation], cursor: .max)),
        .conversationsChanged(ConversationsChanged(cursor: 0)), .totalUnreadChanged(TotalUnreadChanged(total: 7)),
        .groupChanged(GroupChanged(id: "g-1", name: "Team", owner: "ada", size: 500, added: ["bob"], removed: ["eve"])),
        .groupDismissed(GroupDismissed(group: "g-1")),
    ]
}
