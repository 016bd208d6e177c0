/// All requests of clients. A new request is a type in a file, a row here, and a row in the table of the layer that carries it out:
/// `Conference.rules`, with a row of `SessionHandlers` if it needs the media engine.
public enum RequestTable {
    public static let all: [any RequestBody.Type] = [
        JoinRequest.self, ResumeRequest.self, LeaveRequest.self, UsersRequest.self, PingRequest.self,
        StatisticsRequest.self, ReportIssueRequest.self, SignalRequest.self,
        PublishRequest.self, UnpublishRequest.self, UpdateStreamRequest.self, SetMutedRequest.self,
        SubscribeRequest.self, UpdateSubscriptionRequest.self, UnsubscribeRequest.self, AnswerRequest.self,
        RestartICERequest.self,
        RenameRequest.self, MuteUserRequest.self, RequestUnmuteRequest.self, RemoveUserRequest.self,
        ForceMuteStreamRequest.self, ForceMuteAllRequest.self, DisableForceMuteRequest.self, MakeHostRequest.self,
        SetManagerRequest.self, LockShareRequest.self,
        SubsessionsRequest.self, CommitSubsessionsRequest.self, WithdrawSubsessionsRequest.self,
        StartSubsessionsRequest.self, StopSubsessionsRequest.self, JoinSubsessionRequest.self,
        ReturnToMainSessionRequest.self, BroadcastRequest.self, RequestHelpRequest.self, AnswerHelpRequest.self,
        ChatRequest.self, SetChatAllowedRequest.self,
        StartPushRequest.self, StopPushRequest.self,
        LoginRequest.self, SendMessageRequest.self, ConversationsRequest.self, HistoryRequest.self,
        ConversationChangesRequest.self, ClearUnreadRequest.self, SetNotificationRequest.self,
        DeleteConversationRequest.self, DeleteMessagesRequest.self, CreateGroupRequest.self, GroupRequest.self,
        InviteToGroupRequest.self, LeaveGroupRequest.self, DismissGroupRequest.self,
    ]

    private static let types = Dictionary(all.map { ($0.method, $0) }) { first, _ in first }

    /// Returns the type of a method's requests; nil if there is no such method.
    public static func type(of method: String) -> (any RequestBody.Type)? { types[method] }
}
