package import MediaBase
package import Signaling

extension Conference {
    /// Handles a request of a participant by the row of its type in `rules`.
    ///
    /// Requests that need the media engine are only allowed or refused here. `publish`, `join` and `resume` have
    /// functions of their own.
    /// - Parameter wallClock: milliseconds since 1970.
    package mutating func request<Body: RequestBody>(
        _ request: Body, from sender: ConnectionID, now: MediaTime, wallClock: Int64
    ) -> Reply<Body.Answer> {
        latest = now
        let rule = Self.rules[Body.self]
        do throws(SignalingError) {
            guard let rule else {
                let isJoin = Body.method == JoinRequest.method
                throw SignalingError(isJoin && participants[sender] != nil ? .alreadyJoined : .malformedMessage)
            }
            try authorize(Body.permission, sender, on: request.target)
            let answer = try rule.perform?(&self, request, RequestSender(id: sender, now: now, wallClock: wallClock))
            return Reply(result: .success(answer), effects: takeEffects())
        } catch {
            effects = []
            // A sender without permission gets only the answer, which is short.
            if error.code != .notPermitted, let change = rule?.failure { tellFailure(change, to: sender) }
            return Reply(result: .failure(error), effects: takeEffects())
        }
    }

    /// Checks a removal. It ends all connections of a token, so none of them may belong to the sender or the host, and
    /// only the host may remove a manager (USR-9).
    func checkRemoval(of id: ConnectionID, by sender: ConnectionID) throws(SignalingError) {
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

    /// Checks the permission of a request; all requests pass here (TOK-3).
    func authorize(
        _ permission: Permission, _ sender: ConnectionID, on target: ConnectionID? = nil
    ) throws(SignalingError) {
        guard let participant = participants[sender] else {
            throw SignalingError(phase == .ended ? .sessionEnded : .notJoined)
        }
        var held = Permission(role: participant.info.role, capabilities: participant.capabilities)
        if target == sender { held.insert(.oneself) }
        guard !held.isDisjoint(with: permission) else { throw SignalingError(.notPermitted) }
    }

    func ownStream(_ id: StreamID, of sender: ConnectionID) throws(SignalingError) -> PublishedStream {
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
