import Conference
import SessionMedia
import Signaling

/// Requests to `SessionMedia` that wait for its answer (`MediaRequests`). A request is registered, made, and then carried out by `finish`.
extension LiveSession {
    /// Registers a request to `SessionMedia`. `then` runs when it is answered, before later outputs are carried out.
    func whenDone(_ then: @escaping (SignalingError?) -> Void) -> MediaRequestID {
        requests.add { [self] (refusal: MediaRefusal?) in then(refusal.flatMap { error($0) }) }
    }

    /// Carries out a request that was made to `SessionMedia`, and waits for its answer.
    func finish(_ request: MediaRequestID) async {
        continueMedia()
        guard requests.isPending(request) else { return }
        await withCheckedContinuation { requests.wait(for: request, $0) }
    }

    /// Waits until the engine has carried out all mutes and closes since a ticket.
    /// - Returns: error of a mute that failed; `Conference` has taken the mute back by then.
    func outcome(after ticket: MediaTicket) async -> SignalingError? {
        var failure: SignalingError?
        let request = whenDone { failure = $0 }
        media.answer(request, of: nil, after: ticket)
        await finish(request)
        return failure
    }

    func error(_ refusal: MediaRefusal) -> SignalingError? {
        switch refusal {
        case .error(let error): error
        case .description(let error): SignalingError(Problem(error))
        case .negotiation(let error): SignalingError(error)
        case .readableKeys: SignalingError.readableKeys
        case .noStream(let stream):
            conference.isPublished(stream) ? nil : SignalingError(.unknownStream, field: "stream")
        // It was removed, its token was revoked, or a password was set.
        case .ended: conference.isEnded ? SignalingError(.sessionEnded) : SignalingError(.notPermitted)
        }
    }
}
