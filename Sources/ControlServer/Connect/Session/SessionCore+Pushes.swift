import Conference
import Logging
import Signaling

/// Pushes of the session (LIV-1), which `LiveSession+Pushes` runs.
extension SessionCore {
    var pushAnswers: [SessionPushAnswer] {
        conference.pushes.map { SessionPushAnswer(id: $0.id, stream: $0.stream, isLive: $0.isLive) }
    }

    /// Starts a push for the operator.
    /// - Parameter allowsHTTP: allows an `http:` URL.
    func startPush(_ request: StartPushRequest, allowsHTTP: Bool) -> Result<PushID, SignalingError> {
        guard !isForgotten else { return .failure(SignalingError(.sessionEnded)) }
        return conference.startPush(request, allowsHTTP: allowsHTTP, now: time.now).map { id, effects in
            perform(effects)
            return id
        }
    }

    /// Ends a push for the operator.
    func stopPush(_ id: PushID) -> Result<Void, SignalingError> {
        conference.stopPush(id, now: time.now).map { perform($0) }
    }

    /// Handles a report of a push.
    func pushed(_ id: PushID, _ outcome: PushOutcome) {
        switch outcome {
        case .started: logger.notice("live stream started", metadata: ["live": "\(id)"])
        case .failed(let reason, let detail, let retryIn):
            logger.warning(
                "live stream failed: \(detail)",
                metadata: [
                    "live": "\(id)", "reason": "\(reason.rawValue)", "retryIn": "\(retryIn.map { "\($0) s" } ?? "no")",
                ])
        }
        perform(conference.push(id, outcome, now: time.now))
    }
}
