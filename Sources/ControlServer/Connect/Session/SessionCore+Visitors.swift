import Conference
import Logging
import MediaEngine
import SessionMedia
import Signaling

/// Clients without a control connection (WHIP, WHEP, plain SRTP): `SessionMedia` decides on them, from their admission to their end.
extension SessionCore {
    /// Carries out the admission of a client.
    ///
    /// - Parameter then: gets false if the session was over before `Conference` could admit the client.
    func enter(_ visit: Visit, then: @escaping (Result<Bool, any Error>) -> Void) {
        guard !isForgotten else { return then(.success(false)) }
        let request = requests.makeID()
        visits[request] = visit
        whenDone(request) { [self] refusal in
            if let visit = visits.removeValue(forKey: request) { then(visit.outcome(refusal)) }
        }
        media.admit(visit.media, request)
        continueMedia()
    }

    /// Asks `Conference` to admit a client.
    ///
    /// - Parameter holder: publisher whose stream the client may take over.
    /// - Returns: on success, the name of the stream that it takes over.
    func admit(
        _ request: MediaRequestID, _ visitor: MediaVisitor, replacing holder: ConnectionID?
    ) -> Result<String?, SignalingError> {
        guard let visit = visits[request] else { return .failure(SignalingError(.internalError)) }
        do throws(SignalingError) {
            visits[request]?.leases = try leases.admit(
                visit.visitor.holder, isPublisher: visit.media.isPublisher,
                replacing: holder.flatMap { media.publisher(of: $0) })
            let effects = try rules(visit, replacing: holder).get()
            visits[request]?.isAdmitted = true
            perform(effects)
        } catch {
            if visitor.isPublisher { forgetIfVacant() }
            return .failure(error)
        }
        guard let holder, case .publish(let stream, _) = visitor.purpose else { return .success(nil) }
        logger.info("publisher taken over", metadata: ["stream": "\(stream)", "connection": "\(holder)"])
        return .success(conference.stream(stream)?.name ?? stream.rawValue)
    }

    private func rules(_ visit: Visit, replacing holder: ConnectionID?) -> Result<[Effect], SignalingError> {
        let admission = visit.visitor.admission(of: visit.media)
        return context.passwords.attempt(
            visit.visitor.password, from: visit.visitor.address, token: admission.token, at: key, now: time.now
        ) {
            if let holder { return conference.takeOver(holder, by: admission) }
            guard visit.media.isPublisher else { return conference.admitVisitingSubscriber(admission).map { [] } }
            return conference.join(admission, now: time.now, wallClock: time.wall).map(\.effects)
        }
    }

    /// Removes a client after its endpoint has closed its transport.
    ///
    /// - Parameter then: called when the name of its stream is free again.
    func visitorLeft(_ transport: TransportID, then: @escaping () -> Void) {
        let ticket = media.lastTicket
        media.left(PeerID(transport))
        continueMedia()
        whenCarriedOut(since: ticket) { _ in then() }
    }
}
