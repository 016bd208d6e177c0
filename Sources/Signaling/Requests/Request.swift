/// One request of a client, with its parameters.
public enum Request: Hashable, Sendable {
    case join(JoinRequest)
    case resume(ResumeRequest)
    case leave(LeaveRequest)
    case users(UsersRequest)
    case publish(PublishRequest)
    case unpublish(UnpublishRequest)
    case updateStream(UpdateStreamRequest)
    case subscribe(SubscribeRequest)
    case updateSubscription(UpdateSubscriptionRequest)
    case unsubscribe(UnsubscribeRequest)
    case answer(AnswerRequest)
    case restartICE(RestartICERequest)
    case signal(SignalRequest)
    case rename(RenameRequest)
    case muteUser(MuteUserRequest)
    case requestUnmute(RequestUnmuteRequest)
    case setMuted(SetMutedRequest)
    case forceMuteStream(ForceMuteStreamRequest)
    case forceMuteAll(ForceMuteAllRequest)
    case disableForceMute(DisableForceMuteRequest)
    case makeHost(MakeHostRequest)
    case setManager(SetManagerRequest)
    case removeUser(RemoveUserRequest)
    case lockShare(LockShareRequest)
    case subsessions(SubsessionsRequest)
    case commitSubsessions(CommitSubsessionsRequest)
    case withdrawSubsessions(WithdrawSubsessionsRequest)
    case startSubsessions(StartSubsessionsRequest)
    case stopSubsessions(StopSubsessionsRequest)
    case joinSubsession(JoinSubsessionRequest)
    case returnToMainSession(ReturnToMainSessionRequest)
    case broadcast(BroadcastRequest)
    case requestHelp(RequestHelpRequest)
    case answerHelp(AnswerHelpRequest)
    case chat(ChatRequest)
    case setChatAllowed(SetChatAllowedRequest)
    case login(LoginRequest)
    case messaging(MessagingRequest)
    case statistics(StatisticsRequest)
    case reportIssue(ReportIssueRequest)
    case ping(PingRequest)

    public var method: Method {
        switch self {
        case .join: .join
        case .resume: .resume
        case .leave: .leave
        case .users: .users
        case .publish: .publish
        case .unpublish: .unpublish
        case .updateStream: .updateStream
        case .subscribe: .subscribe
        case .updateSubscription: .updateSubscription
        case .unsubscribe: .unsubscribe
        case .answer: .answer
        case .restartICE: .restartICE
        case .signal: .signal
        case .rename: .rename
        case .muteUser: .muteUser
        case .requestUnmute: .requestUnmute
        case .setMuted: .setMuted
        case .forceMuteStream: .forceMuteStream
        case .forceMuteAll: .forceMuteAll
        case .disableForceMute: .disableForceMute
        case .makeHost: .makeHost
        case .setManager: .setManager
        case .removeUser: .removeUser
        case .lockShare: .lockShare
        case .subsessions: .subsessions
        case .commitSubsessions: .commitSubsessions
        case .withdrawSubsessions: .withdrawSubsessions
        case .startSubsessions: .startSubsessions
        case .stopSubsessions: .stopSubsessions
        case .joinSubsession: .joinSubsession
        case .returnToMainSession: .returnToMainSession
        case .broadcast: .broadcast
        case .requestHelp: .requestHelp
        case .answerHelp: .answerHelp
        case .chat: .chat
        case .setChatAllowed: .setChatAllowed
        case .login: .login
        case .messaging(let request): request.method
        case .statistics: .statistics
        case .reportIssue: .reportIssue
        case .ping: .ping
        }
    }

    /// - Parameter container: has the parameters under `key`; methods without parameters may omit them.
    init<Key>(_ method: Method, from container: KeyedDecodingContainer<Key>, key: Key) throws {
        func body<Body: RequestBody>(_ type: Body.Type) throws -> Body { try container.decode(type, forKey: key) }
        switch method {
        case .join: self = .join(try body(JoinRequest.self))
        case .resume: self = .resume(try body(ResumeRequest.self))
        case .leave: self = .leave(try body(LeaveRequest.self))
        case .users: self = .users(try body(UsersRequest.self))
        case .publish: self = .publish(try body(PublishRequest.self))
        case .unpublish: self = .unpublish(try body(UnpublishRequest.self))
        case .updateStream: self = .updateStream(try body(UpdateStreamRequest.self))
        case .subscribe: self = .subscribe(try body(SubscribeRequest.self))
        case .updateSubscription: self = .updateSubscription(try body(UpdateSubscriptionRequest.self))
        case .unsubscribe: self = .unsubscribe(try body(UnsubscribeRequest.self))
        case .answer: self = .answer(try body(AnswerRequest.self))
        case .restartICE: self = .restartICE(RestartICERequest())
        case .signal: self = .signal(try body(SignalRequest.self))
        case .rename: self = .rename(try body(RenameRequest.self))
        case .muteUser: self = .muteUser(try body(MuteUserRequest.self))
        case .requestUnmute: self = .requestUnmute(try body(RequestUnmuteRequest.self))
        case .setMuted: self = .setMuted(try body(SetMutedRequest.self))
        case .forceMuteStream: self = .forceMuteStream(try body(ForceMuteStreamRequest.self))
        case .forceMuteAll: self = .forceMuteAll(try body(ForceMuteAllRequest.self))
        case .disableForceMute: self = .disableForceMute(DisableForceMuteRequest())
        case .makeHost: self = .makeHost(try body(MakeHostRequest.self))
        case .setManager: self = .setManager(try body(SetManagerRequest.self))
        case .removeUser: self = .removeUser(try body(RemoveUserRequest.self))
        case .lockShare: self = .lockShare(try body(LockShareRequest.self))
        case .subsessions: self = .subsessions(SubsessionsRequest())
        case .commitSubsessions: self = .commitSubsessions(try body(CommitSubsessionsRequest.self))
        case .withdrawSubsessions: self = .withdrawSubsessions(WithdrawSubsessionsRequest())
        case .startSubsessions: self = .startSubsessions(StartSubsessionsRequest())
        case .stopSubsessions: self = .stopSubsessions(StopSubsessionsRequest())
        case .joinSubsession: self = .joinSubsession(try body(JoinSubsessionRequest.self))
        case .returnToMainSession: self = .returnToMainSession(ReturnToMainSessionRequest())
        case .broadcast: self = .broadcast(try body(BroadcastRequest.self))
        case .requestHelp: self = .requestHelp(RequestHelpRequest())
        case .answerHelp: self = .answerHelp(try body(AnswerHelpRequest.self))
        case .chat: self = .chat(try body(ChatRequest.self))
        case .setChatAllowed: self = .setChatAllowed(try body(SetChatAllowedRequest.self))
        case .login: self = .login(try body(LoginRequest.self))
        case .sendMessage, .conversations, .history, .conversationChanges, .clearUnread, .setNotification,
            .deleteConversation, .deleteMessages, .createGroup, .group, .inviteToGroup, .leaveGroup, .dismissGroup:
            self = .messaging(try MessagingRequest(method, from: container, key: key))
        case .statistics: self = .statistics(StatisticsRequest())
        case .reportIssue: self = .reportIssue(try body(ReportIssueRequest.self))
        case .ping: self = .ping(PingRequest())
        }
    }

    func encodeBody<Key>(to container: inout KeyedEncodingContainer<Key>, key: Key) throws {
        switch self {
        case .join(let body): try container.encode(body, forKey: key)
        case .resume(let body): try container.encode(body, forKey: key)
        case .leave(let body): try container.encode(body, forKey: key)
        case .users(let body): try container.encode(body, forKey: key)
        case .publish(let body): try container.encode(body, forKey: key)
        case .unpublish(let body): try container.encode(body, forKey: key)
        case .updateStream(let body): try container.encode(body, forKey: key)
        case .subscribe(let body): try container.encode(body, forKey: key)
        case .updateSubscription(let body): try container.encode(body, forKey: key)
        case .unsubscribe(let body): try container.encode(body, forKey: key)
        case .answer(let body): try container.encode(body, forKey: key)
        case .restartICE(let body): try container.encode(body, forKey: key)
        case .signal(let body): try container.encode(body, forKey: key)
        case .rename(let body): try container.encode(body, forKey: key)
        case .muteUser(let body): try container.encode(body, forKey: key)
        case .requestUnmute(let body): try container.encode(body, forKey: key)
        case .setMuted(let body): try container.encode(body, forKey: key)
        case .forceMuteStream(let body): try container.encode(body, forKey: key)
        case .forceMuteAll(let body): try container.encode(body, forKey: key)
        case .disableForceMute(let body): try container.encode(body, forKey: key)
        case .makeHost(let body): try container.encode(body, forKey: key)
        case .setManager(let body): try container.encode(body, forKey: key)
        case .removeUser(let body): try container.encode(body, forKey: key)
        case .lockShare(let body): try container.encode(body, forKey: key)
        case .subsessions(let body): try container.encode(body, forKey: key)
        case .commitSubsessions(let body): try container.encode(body, forKey: key)
        case .withdrawSubsessions(let body): try container.encode(body, forKey: key)
        case .startSubsessions(let body): try container.encode(body, forKey: key)
        case .stopSubsessions(let body): try container.encode(body, forKey: key)
        case .joinSubsession(let body): try container.encode(body, forKey: key)
        case .returnToMainSession(let body): try container.encode(body, forKey: key)
        case .broadcast(let body): try container.encode(body, forKey: key)
        case .requestHelp(let body): try container.encode(body, forKey: key)
        case .answerHelp(let body): try container.encode(body, forKey: key)
        case .chat(let body): try container.encode(body, forKey: key)
        case .setChatAllowed(let body): try container.encode(body, forKey: key)
        case .login(let body): try container.encode(body, forKey: key)
        case .messaging(let request): try request.encodeBody(to: &container, key: key)
        case .statistics(let body): try container.encode(body, forKey: key)
        case .reportIssue(let body): try container.encode(body, forKey: key)
        case .ping(let body): try container.encode(body, forKey: key)
        }
    }
}
