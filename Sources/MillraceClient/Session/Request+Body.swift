import Signaling

extension Request {
    /// Wraps a request body in its method; nil if no method has this body.
    init?(_ body: some RequestBody) {
        switch body {
        case let body as PublishRequest: self = .publish(body)
        case let body as UnpublishRequest: self = .unpublish(body)
        case let body as UpdateStreamRequest: self = .updateStream(body)
        case let body as SubscribeRequest: self = .subscribe(body)
        case let body as UpdateSubscriptionRequest: self = .updateSubscription(body)
        case let body as UnsubscribeRequest: self = .unsubscribe(body)
        case let body as AnswerRequest: self = .answer(body)
        case let body as RestartICERequest: self = .restartICE(body)
        case let body as SignalRequest: self = .signal(body)
        case let body as RenameRequest: self = .rename(body)
        case let body as MuteUserRequest: self = .muteUser(body)
        case let body as RequestUnmuteRequest: self = .requestUnmute(body)
        case let body as SetMutedRequest: self = .setMuted(body)
        case let body as ForceMuteStreamRequest: self = .forceMuteStream(body)
        case let body as ForceMuteAllRequest: self = .forceMuteAll(body)
        case let body as DisableForceMuteRequest: self = .disableForceMute(body)
        case let body as MakeHostRequest: self = .makeHost(body)
        case let body as SetManagerRequest: self = .setManager(body)
        case let body as RemoveUserRequest: self = .removeUser(body)
        case let body as LockShareRequest: self = .lockShare(body)
        case let body as StatisticsRequest: self = .statistics(body)
        case let body as ReportIssueRequest: self = .reportIssue(body)
        case let body as SubsessionsRequest: self = .subsessions(body)
        case let body as CommitSubsessionsRequest: self = .commitSubsessions(body)
        case let body as WithdrawSubsessionsRequest: self = .withdrawSubsessions(body)
        case let body as StartSubsessionsRequest: self = .startSubsessions(body)
        case let body as StopSubsessionsRequest: self = .stopSubsessions(body)
        case let body as JoinSubsessionRequest: self = .joinSubsession(body)
        case let body as ReturnToMainSessionRequest: self = .returnToMainSession(body)
        case let body as BroadcastRequest: self = .broadcast(body)
        case let body as RequestHelpRequest: self = .requestHelp(body)
        case let body as AnswerHelpRequest: self = .answerHelp(body)
        case let body as ChatRequest: self = .chat(body)
        case let body as SetChatAllowedRequest: self = .setChatAllowed(body)
        case let body as PingRequest: self = .ping(body)
        case let body as LoginRequest: self = .login(body)
        default:
            guard let request = MessagingRequest(body) else { return nil }
            self = .messaging(request)
        }
    }
}
