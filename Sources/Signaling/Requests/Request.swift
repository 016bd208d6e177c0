/// One request of a client, with its parameters.
public enum Request: Hashable, Sendable {
    case join(JoinRequest)
    case resume(ResumeRequest)
    case leave(LeaveRequest)
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
    case statistics(StatisticsRequest)
    case reportIssue(ReportIssueRequest)
    case ping(PingRequest)

    public var method: Method {
        switch self {
        case .join: .join
        case .resume: .resume
        case .leave: .leave
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
        case .statistics: .statistics
        case .reportIssue: .reportIssue
        case .ping: .ping
        }
    }

    /// - Parameter container: holds the parameters under `key`; a method without any may leave them out.
    init<Key>(_ method: Method, from container: KeyedDecodingContainer<Key>, key: Key) throws {
        func body<Body: RequestBody>(_ type: Body.Type) throws -> Body { try container.decode(type, forKey: key) }
        switch method {
        case .join: self = .join(try body(JoinRequest.self))
        case .resume: self = .resume(try body(ResumeRequest.self))
        case .leave: self = .leave(try body(LeaveRequest.self))
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
        case .statistics(let body): try container.encode(body, forKey: key)
        case .reportIssue(let body): try container.encode(body, forKey: key)
        case .ping(let body): try container.encode(body, forKey: key)
        }
    }
}
