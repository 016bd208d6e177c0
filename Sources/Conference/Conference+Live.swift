package import MediaBase
package import Signaling

/// Live streams of the session (LIV-1).
extension Conference {
    /// Live streams in order of creation: their ids, and whether media reaches the server.
    package var liveStreams: [(id: LiveID, stream: StreamID, isLive: Bool)] {
        liveOutputs.map { ($0.id, $0.stream, $0.isLive) }
    }

    /// Starts a live stream for the operator.
    /// - Parameter allowsHTTP: allows an `http:` URL, whatever the policy.
    package mutating func startLive(
        _ request: StartLiveRequest, allowsHTTP: Bool, now: MediaTime
    ) -> Result<(id: LiveID, effects: [Effect]), SignalingError> {
        latest = now
        do throws(SignalingError) {
            if phase == .ended { throw SignalingError(.sessionEnded) }
            return .success((try startLive(request, allowsHTTP: allowsHTTP), takeEffects()))
        } catch {
            effects = []
            return .failure(error)
        }
    }

    /// Ends a live stream for the operator.
    package mutating func stopLive(_ id: LiveID, now: MediaTime) -> Result<[Effect], SignalingError> {
        latest = now
        do throws(SignalingError) {
            try stopLive(id)
            return .success(takeEffects())
        } catch {
            effects = []
            return .failure(error)
        }
    }

    /// Handles a report about a push. Ignores reports about live streams that have ended.
    package mutating func live(_ id: LiveID, _ report: LiveReport, now: MediaTime) -> [Effect] {
        latest = now
        guard let index = liveOutputs.firstIndex(where: { $0.id == id }) else { return [] }
        let stream = liveOutputs[index].stream
        switch report {
        case .started:
            liveOutputs[index].isLive = true
            liveOutputs[index].isAnnounced = true
            tellAll(.liveStarted(LiveStarted(id: id, stream: stream)))
            hook(.liveStarted(id, stream))
        case .failed(let reason, let detail, let retryIn):
            liveOutputs[index].isLive = false
            let event = LiveFailed(id: id, stream: stream, reason: reason, detail: detail, retryIn: retryIn)
            if let host { tell(host, .liveFailed(event)) }
            hook(.liveFailed(event))
            if retryIn == nil { endLive(id, .failed) }
        }
        return takeEffects()
    }

    mutating func startLive(
        _ request: StartLiveRequest, allowsHTTP: Bool = false
    ) throws(SignalingError) -> LiveID {
        if let objection = request.objection { throw objection }
        guard request.isSecure || allowsHTTP || limits.policy.allowsLiveHTTP else {
            throw SignalingError(.invalidField, "the relay allows only https: URLs", field: "to")
        }
        guard let stream = published[request.stream], stream.phase == .announced else {
            throw SignalingError(.unknownStream, field: "stream")
        }
        guard !stream.isEncrypted else { throw SignalingError(.streamEncrypted, field: "stream") }
        guard liveOutputs.count < limits.liveStreams else {
            throw SignalingError(
                .limitReached, "the session has \(limits.liveStreams) live streams already",
                limit: ConferenceLimits.liveStreamsKey)
        }
        livesMade += 1
        let id = LiveID(rawValue: "live\(livesMade)")
        liveOutputs.append(LiveOutput(id: id, stream: request.stream))
        effects.append(.live(.start(id, request)))
        return id
    }

    mutating func stopLive(_ id: LiveID) throws(SignalingError) {
        guard liveOutputs.contains(where: { $0.id == id }) else { throw SignalingError(.unknownLive, field: "id") }
        endLive(id, .stopped)
    }

    /// Ends the live streams of a stream that is over.
    mutating func endLive(of stream: StreamID) {
        for output in liveOutputs where output.stream == stream { endLive(output.id, .streamEnded) }
    }

    /// Ends all live streams, because the session ends.
    mutating func endLive() {
        for output in liveOutputs { endLive(output.id, .sessionEnded) }
    }

    /// Tells a user that joins of the live streams.
    mutating func tellLive(to connection: ConnectionID) {
        for output in liveOutputs where output.isAnnounced {
            tell(connection, .liveStarted(LiveStarted(id: output.id, stream: output.stream)))
        }
    }

    private mutating func endLive(_ id: LiveID, _ reason: LiveEndReason) {
        guard let index = liveOutputs.firstIndex(where: { $0.id == id }) else { return }
        let output = liveOutputs.remove(at: index)
        effects.append(.live(.stop(id)))
        let event = LiveStopped(id: id, stream: output.stream, reason: reason)
        if output.isAnnounced { tellAll(.liveStopped(event)) } else if let host { tell(host, .liveStopped(event)) }
        hook(.liveStopped(event))
    }
}
