import Conference
import SessionMedia
import Signaling

/// Requests to `SessionMedia` that wait for its answer (`MediaRequests`). A request is registered, made, and then carried out by
/// `continueMedia`.
extension SessionCore {
    /// Registers a request to `SessionMedia`. `then` runs when it is answered, before later outputs are carried out.
    func whenDone(_ then: @escaping (SignalingError?) -> Void) -> MediaRequestID {
        let request = requests.makeID()
        whenDone(request, then)
        return request
    }

    func whenDone(_ request: MediaRequestID, _ then: @escaping (SignalingError?) -> Void) {
        requests.add(request) { [self] (refusal: MediaRefusal?) in then(refusal.flatMap { error($0) }) }
    }

    /// Calls `then` when the engine has carried out all mutes and closes since a ticket, with the error of a mute that failed; `Conference` has
    /// taken the mute back by then.
    func whenCarriedOut(since ticket: MediaTicket, _ then: @escaping (SignalingError?) -> Void) {
        media.answer(whenDone(then), of: nil, after: ticket)
        continueMedia()
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
