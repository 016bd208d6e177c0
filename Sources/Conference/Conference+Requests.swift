package import MediaBase
package import Signaling

extension Conference {
    /// Handles a request of a participant.
    ///
    /// `answer`, `restartICE`, `statistics` and `reportIssue` are only checked here; on success the caller performs
    /// them. `publish`, `join` and `resume` have functions of their own.
    /// - Parameter wallClock: milliseconds since 1970.
    package mutating func request(
        _ request: Request, from sender: ConnectionID, now: MediaTime, wallClock: Int64
    ) -> Reply {
        latest = now
        do throws(SignalingError) {
            let answer = try perform(request, sender, now: now, wallClock: wallClock)
            return Reply(result: .success(answer), effects: takeEffects())
        } catch {
            effects = []
            // A sender without permission gets only the answer, which is short.
            if error.code != .notPermitted { tellFailure(of: request, to: sender) }
            return Reply(result: .failure(error), effects: takeEffects())
        }
    }

    private mutating func perform(
        _ request: Request, _ sender: ConnectionID, now: MediaTime, wallClock: Int64
    ) throws(SignalingError) -> RequestAnswer {
        switch request {
        case .join: throw SignalingError(participants[sender] == nil ? .malformedMessage : .alreadyJoined)
        case .resume, .publish, .login, .messaging: throw SignalingError(.malformedMessage)
        case .leave(let body):
            try authorize(body.endForAll ? .endSession : .leave, sender)
            leave(sender, endForAll: body.endForAll)
        case .users(let body):
            try authorize(.users, sender)
            return .users(page(after: body.after))
        case .ping: try authorize(.ping, sender)
        case .statistics: try authorize(.statistics, sender)
        case .reportIssue: try authorize(.reportIssue, sender)
        case .answer: try authorize(.answer, sender)
        case .restartICE: try authorize(.restartICE, sender)
        case .signal(let body):
            try authorize(.signal, sender)
            try signal(type: body.type, data: body.data, to: body.to, from: sender)
        case .unpublish, .updateStream, .setMuted: try performOnOwnStream(request, sender)
        case .subscribe(let body):
            try authorize(.subscribe, sender)
            try subscribe(sender, body.stream, body.preferences)
        case .updateSubscription(let body):
            try authorize(.updateSubscription, sender)
            try updateSubscription(sender, body.stream, body.preferences)
        case .unsubscribe(let body):
            try authorize(.unsubscribe, sender)
            try unsubscribe(sender, body.stream)
        case .rename, .muteUser, .requestUnmute, .removeUser, .makeHost, .setManager:
            try performOnUser(request, sender)
        case .forceMuteStream(let body):
            try authorize(.forceMuteStream, sender)
            try forceMuteStream(body.stream)
        case .forceMuteAll(let body):
            try authorize(.forceMuteAll, sender)
            forceMuteAll(excluding: body.excluding)
        case .disableForceMute:
            try authorize(.disableForceMute, sender)
            disableForceMute()
        case .lockShare(let body):
            try authorize(.lockShare, sender)
            lockShare(body.isLocked)
        case .subsessions, .commitSubsessions, .withdrawSubsessions, .startSubsessions, .stopSubsessions,
            .joinSubsession, .returnToMainSession, .broadcast, .requestHelp, .answerHelp:
            return try performOnSubsessions(request, sender, now: now)
        case .chat(let body):
            try authorize(.chat, sender)
            return .chat(try chat(body, from: sender, now: now, wallClock: wallClock))
        case .setChatAllowed(let body):
            try authorize(.setChatAllowed, sender)
            setChatAllowed(body.isAllowed)
        }
        return .done
    }

    private mutating func performOnUser(_ request: Request, _ sender: ConnectionID) throws(SignalingError) {
        switch request {
        case .rename(let body):
            try authorize(.rename, sender, on: body.user)
            try rename(body.user, body.name)
        case .muteUser(let body):
            try authorize(.muteUser, sender, on: body.user)
            try muteUser(body.user, body.kind, isForced: body.user != sender)
        case .requestUnmute(let body):
            try authorize(.requestUnmute, sender, on: body.user)
            try requestUnmute(body.user, body.kind, by: sender)
        case .removeUser(let body):
            try authorize(.removeUser, sender, on: body.user)
            try checkRemoval(of: body.user, by: sender)
            remove(body.user)
        case .makeHost(let body):
            try authorize(.makeHost, sender, on: body.user)
            try makeHost(body.user, by: sender)
        case .setManager(let body):
            try authorize(.setManager, sender, on: body.user)
            try setManager(body.user, body.isManager)
        default: throw SignalingError(.unknownMethod)
        }
    }

    /// Checks a removal. It ends all connections of a token, so none of them may belong to the sender or the host, and
    /// only the host may remove a manager (USR-9).
    private func checkRemoval(of id: ConnectionID, by sender: ConnectionID) throws(SignalingError) {
        guard participants[id] != nil else { throw SignalingError(.unknownUser, field: "user") }
        let leaving = connections(sharingTokenOf: id)
        guard !leaving.contains(sender), !leaving.contains(where: { participants[$0]?.info.role == .host }) else {
            throw SignalingError(.notPermitted, "a user can remove neither itself nor the host", field: "user")
        }
        let isManager = leaving.contains { participants[$0]?.info.role == .manager }
        guard !isManager || participants[sender]?.info.role == .host else {
            throw SignalingError(.notPermitted, "only the host removes a manager", field: "user")
        }
    }

    private mutating func performOnOwnStream(_ request: Request, _ sender: ConnectionID) throws(SignalingError) {
        switch request {
        case .unpublish(let body):
            try authorize(.unpublish, sender)
            _ = try ownStream(body.stream, of: sender)
            destroy(body.stream, .unpublished)
        case .updateStream(let body):
            try authorize(.updateStream, sender)
            _ = try ownStream(body.stream, of: sender)
            try updateStream(body)
        case .setMuted(let body):
            try authorize(.setMuted, sender)
            guard try ownStream(body.stream, of: sender).has(body.kind) else {
                throw SignalingError(.noTrack, field: "kind")
            }
            setMuted(body.stream, body.kind, body.isMuted, isForced: false)
        default: throw SignalingError(.unknownMethod)
        }
    }

    /// Checks the permission of a request; all requests pass here (TOK-3).
    func authorize(
        _ action: Permission.Action, _ sender: ConnectionID, on target: ConnectionID? = nil
    ) throws(SignalingError) {
        guard let participant = participants[sender] else {
            throw SignalingError(phase == .ended ? .sessionEnded : .notJoined)
        }
        let isGranted = Permission.isGranted(
            action, role: participant.info.role, capabilities: participant.capabilities, isOneself: target == sender)
        guard isGranted else { throw SignalingError(.notPermitted) }
    }

    private func ownStream(_ id: StreamID, of sender: ConnectionID) throws(SignalingError) -> PublishedStream {
        guard let stream = published[id] else { throw SignalingError(.unknownStream, field: "stream") }
        guard stream.owner == sender else {
            // Other participants must not learn that a stream exists before it is announced.
            throw SignalingError(stream.phase == .announced ? .notPermitted : .unknownStream, field: "stream")
        }
        return stream
    }

    /// Sends a signal (SIG-1, SIG-2). A nil sender is the application's server.
    mutating func signal(
        type: String, data: String, to: ConnectionID?, from sender: ConnectionID?
    ) throws(SignalingError) {
        if let objection = SignalRequest(type: type, data: data, to: to).objection { throw objection }
        let event = Event.signal(SignalReceived(from: sender, type: type, data: data))
        guard let to else { return tellAll(event) }
        guard participants[to]?.isClient == true else { throw SignalingError(.unknownUser, field: "to") }
        tell(to, event)
    }
}
