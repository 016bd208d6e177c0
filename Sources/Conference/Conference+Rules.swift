import Signaling

/// The requests of a session's participants. `publish`, `join` and `resume` have functions of their own.
extension Conference {
    /// One row for each request. The permission of its type is checked before its rule runs.
    static let rules: RuleTable = {
        var rules = RuleTable()
        addSessionRules(to: &rules)
        addStreamRules(to: &rules)
        addUserRules(to: &rules)
        addMuteRules(to: &rules)
        addSubsessionRules(to: &rules)
        addPushRules(to: &rules)
        return rules
    }()

    private static func addSessionRules(to rules: inout RuleTable) {
        rules.add(LeaveRequest.self) { (conference, request, sender) throws(SignalingError) in
            // Permission depends on a parameter: every participant may leave, only the host may end the session.
            if request.endForAll { try conference.authorize(.host, sender.id) }
            conference.leave(sender.id, endForAll: request.endForAll)
        }
        rules.add(answering: UsersRequest.self) { conference, request, _ in conference.page(after: request.after) }
        rules.add(PingRequest.self) { _, _, _ in }
        rules.add(permissionOf: StatisticsRequest.self)
        rules.add(permissionOf: ReportIssueRequest.self)
        rules.add(SignalRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.signal(type: request.type, data: request.data, to: request.to, from: sender.id)
        }
        rules.add(answering: ChatRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.chat(request, from: sender.id, now: sender.now, wallClock: sender.wallClock)
        }
        rules.add(SetChatAllowedRequest.self) { conference, request, _ in
            conference.setChatAllowed(request.isAllowed)
        }
    }

    private static func addStreamRules(to rules: inout RuleTable) {
        rules.add(UnpublishRequest.self) { (conference, request, sender) throws(SignalingError) in
            _ = try conference.ownStream(request.stream, of: sender.id)
            conference.destroy(request.stream, .unpublished)
        }
        rules.add(UpdateStreamRequest.self) { (conference, request, sender) throws(SignalingError) in
            _ = try conference.ownStream(request.stream, of: sender.id)
            try conference.updateStream(request)
        }
        rules.add(SetMutedRequest.self) { (conference, request, sender) throws(SignalingError) in
            guard try conference.ownStream(request.stream, of: sender.id).has(request.kind) else {
                throw SignalingError(.noTrack, field: "kind")
            }
            conference.setMuted(request.stream, request.kind, request.isMuted, isForced: false)
        }
        rules.add(SubscribeRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.subscribe(sender.id, request.stream, request.preferences)
        }
        rules.add(UpdateSubscriptionRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.updateSubscription(sender.id, request.stream, request.preferences)
        }
        rules.add(UnsubscribeRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.unsubscribe(sender.id, request.stream)
        }
        rules.add(permissionOf: AnswerRequest.self)
        rules.add(permissionOf: RestartICERequest.self)
    }

    private static func addUserRules(to rules: inout RuleTable) {
        rules.add(RenameRequest.self) { (conference, request, _) throws(SignalingError) in
            try conference.rename(request.user, request.name)
        }
        rules.add(RemoveUserRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.checkRemoval(of: request.user, by: sender.id)
            conference.remove(request.user)
        }
        rules.add(MakeHostRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.makeHost(request.user, by: sender.id)
        }
        rules.add(SetManagerRequest.self) { (conference, request, _) throws(SignalingError) in
            try conference.setManager(request.user, request.isManager)
        }
        rules.add(LockShareRequest.self) { conference, request, _ in conference.lockShare(request.isLocked) }
    }

    private static func addMuteRules(to rules: inout RuleTable) {
        rules.add(MuteUserRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.muteUser(request.user, request.kind, isForced: request.user != sender.id)
        }
        rules.add(RequestUnmuteRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.requestUnmute(request.user, request.kind, by: sender.id)
        }
        rules.add(ForceMuteStreamRequest.self) { (conference, request, _) throws(SignalingError) in
            try conference.forceMuteStream(request.stream)
        }
        rules.add(ForceMuteAllRequest.self) { conference, request, _ in
            conference.forceMuteAll(excluding: request.excluding)
        }
        rules.add(DisableForceMuteRequest.self) { conference, _, _ in conference.disableForceMute() }
    }

    private static func addPushRules(to rules: inout RuleTable) {
        rules.add(answering: StartPushRequest.self) { (conference, request, _) throws(SignalingError) in
            StartPushRequest.Answer(id: try conference.startPush(request))
        }
        rules.add(StopPushRequest.self) { (conference, request, _) throws(SignalingError) in
            try conference.stopPush(request.id)
        }
    }

    private static func addSubsessionRules(to rules: inout RuleTable) {
        rules.add(answering: SubsessionsRequest.self) { (conference, _, sender) throws(SignalingError) in
            try conference.admit(.list, sender)
            return conference.subsessionsState(isManager: conference.isSubsessionManager(sender.id))
        }
        rules.add(answering: CommitSubsessionsRequest.self, failure: .commitFailed) {
            (conference, request, _) throws(SignalingError) in
            try conference.commitSubsessions(request.names)
        }
        rules.add(WithdrawSubsessionsRequest.self, failure: .withdrawFailed) {
            (conference, _, _) throws(SignalingError) in
            try conference.withdrawSubsessions()
        }
        rules.add(StartSubsessionsRequest.self, failure: .startFailed) {
            (conference, _, _) throws(SignalingError) in
            try conference.startSubsessions()
        }
        rules.add(StopSubsessionsRequest.self, failure: .stopFailed) {
            (conference, _, _) throws(SignalingError) in
            try conference.stopSubsessions()
        }
        rules.add(JoinSubsessionRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.joinSubsession(request.subsession, sender)
        }
        rules.add(ReturnToMainSessionRequest.self) { (conference, _, sender) throws(SignalingError) in
            try conference.returnToMainSession(sender)
        }
        rules.add(BroadcastRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.broadcast(request, from: sender)
        }
        rules.add(answering: RequestHelpRequest.self) { (conference, _, sender) throws(SignalingError) in
            RequestHelpRequest.Answer(request: try conference.requestHelp(sender.id, now: sender.now))
        }
        rules.add(AnswerHelpRequest.self) { (conference, request, sender) throws(SignalingError) in
            try conference.answerHelp(request, by: sender.id, now: sender.now)
        }
    }
}
