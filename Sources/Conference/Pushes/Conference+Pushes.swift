package import MediaBase
package import Signaling

/// Pushes of the session (LIV-1).
extension Conference {
    /// Pushes in order of creation: their ids, and whether media reaches the server.
    package var pushes: [(id: PushID, stream: StreamID?, isLive: Bool)] {
        sessionPushes.map { ($0.id, $0.stream, $0.isLive) }
    }

    /// Starts a push for the operator.
    /// - Parameter allowsHTTP: allows an `http:` URL, whatever the policy.
    package mutating func startPush(
        _ request: StartPushRequest, allowsHTTP: Bool, now: MediaTime
    ) -> Result<(id: PushID, effects: [Effect]), SignalingError> {
        latest = now
        do throws(SignalingError) {
            if phase == .ended { throw SignalingError(.sessionEnded) }
            return .success((try startPush(request, allowsHTTP: allowsHTTP), takeEffects()))
        } catch {
            effects = []
            return .failure(error)
        }
    }

    /// Ends a push for the operator.
    package mutating func stopPush(_ id: PushID, now: MediaTime) -> Result<[Effect], SignalingError> {
        latest = now
        do throws(SignalingError) {
            try stopPush(id)
            return .success(takeEffects())
        } catch {
            effects = []
            return .failure(error)
        }
    }

    /// Handles a report about a push. Ignores reports about pushes that have ended.
    package mutating func push(_ id: PushID, _ outcome: PushOutcome, now: MediaTime) -> [Effect] {
        latest = now
        guard let index = sessionPushes.firstIndex(where: { $0.id == id }) else { return [] }
        let stream = sessionPushes[index].stream
        switch outcome {
        case .started:
            sessionPushes[index].isLive = true
            sessionPushes[index].isAnnounced = true
            tellAll(.liveStarted(PushStarted(id: id, stream: stream)))
            hook(.liveStarted(id, stream))
        case .failed(let reason, let detail, let retryIn):
            sessionPushes[index].isLive = false
            let event = PushFailed(id: id, stream: stream, reason: reason, detail: detail, retryIn: retryIn)
            if let host { tell(host, .liveFailed(event)) }
            hook(.liveFailed(event))
            if retryIn == nil { endPush(id, .failed) }
        }
        return takeEffects()
    }

    mutating func startPush(
        _ request: StartPushRequest, allowsHTTP: Bool = false
    ) throws(SignalingError) -> PushID {
        if let objection = request.objection { throw objection }
        guard request.isSecure || allowsHTTP || limits.policy.allowsPushHTTP else {
            throw SignalingError(.invalidField, "the relay allows only https: URLs", field: "to")
        }
        try checkSource(of: request)
        guard sessionPushes.count < limits.pushes else {
            throw SignalingError(
                .limitReached, "the session has \(limits.pushes) live streams already",
                limit: ConferenceLimits.pushesKey)
        }
        pushesMade += 1
        let id = PushID(rawValue: "live\(pushesMade)")
        sessionPushes.append(SessionPush(id: id, stream: request.stream))
        effects.append(.push(.start(id, request)))
        return id
    }

    private func checkSource(of request: StartPushRequest) throws(SignalingError) {
        guard let id = request.stream else {
            // As for its bodies over HTTP.
            guard !isEncrypted else {
                throw SignalingError(.streamEncrypted, "a session with encrypted streams has no programme")
            }
            return
        }
        guard let stream = published[id], stream.phase == .announced else {
            throw SignalingError(.unknownStream, field: "stream")
        }
        guard !stream.isEncrypted else { throw SignalingError(.streamEncrypted, field: "stream") }
    }

    mutating func stopPush(_ id: PushID) throws(SignalingError) {
        guard sessionPushes.contains(where: { $0.id == id }) else { throw SignalingError(.unknownLive, field: "id") }
        endPush(id, .stopped)
    }

    /// Ends the pushes of a stream that is over.
    mutating func endPushes(of stream: StreamID) {
        for push in sessionPushes where push.stream == stream { endPush(push.id, .streamEnded) }
    }

    /// Ends all pushes, because the session ends. At its very end no user is left to be told.
    mutating func endPushes() {
        for push in sessionPushes { endPush(push.id, .sessionEnded) }
    }

    /// Tells a user that joins of the pushes.
    mutating func tellPushes(to connection: ConnectionID) {
        for push in sessionPushes where push.isAnnounced {
            tell(connection, .liveStarted(PushStarted(id: push.id, stream: push.stream)))
        }
    }

    private mutating func endPush(_ id: PushID, _ reason: PushEndReason) {
        guard let index = sessionPushes.firstIndex(where: { $0.id == id }) else { return }
        let push = sessionPushes.remove(at: index)
        effects.append(.push(.stop(id)))
        let event = PushStopped(id: id, stream: push.stream, reason: reason)
        if push.isAnnounced { tellAll(.liveStopped(event)) } else if let host { tell(host, .liveStopped(event)) }
        hook(.liveStopped(event))
    }
}
