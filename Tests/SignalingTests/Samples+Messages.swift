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

    static let allRequests = requests + messagingRequests
    static let allEvents: [Event] = events + messagingEvents.map { .messaging($0) }

    static let messagingRequests: [any RequestBody] = [
        LoginRequest(version: 9, token: "t", name: "Ada"), LoginRequest(),
        SendMessageRequest(conversation: peer, message: "m-1", text: "hello"),
        ConversationsRequest(before: 7, count: 100), ConversationsRequest(count: 1),
        HistoryRequest(conversation: peer, before: 7, count: 1),
        HistoryRequest(conversation: peer, after: 0, count: .max),
        ConversationChangesRequest(since: .max, count: 1),
        ClearUnreadRequest(conversation: peer),
        SetNotificationRequest(conversation: peer, status: .doNotDisturb),
        DeleteConversationRequest(conversation: peer),
        DeleteMessagesRequest(conversation: peer),
        CreateGroupRequest(name: "Team", members: ["bob"]), GroupRequest(group: "g-1"),
        InviteToGroupRequest(group: "g-1", members: ["eve", ""]),
        LeaveGroupRequest(group: "g-1"), DismissGroupRequest(group: "g-1"),
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
