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
        do throws(SignalingError) {
            let holder = try media.holder(for: visit.media)
            try admit(request, visit, replacing: holder)
            open(visit.media, request, replacing: holder)
        } catch {
            requests.takeDone(request)?(.error(error))
        }
        continueMedia()
    }

    /// Admits a client by the rules, and counts its transport.
    ///
    /// - Parameter holder: publisher whose stream the client may take over.
    private func admit(
        _ request: MediaRequestID, _ visit: Visit, replacing holder: ConnectionID?
    ) throws(SignalingError) {
        do throws(SignalingError) {
            visits[request]?.leases = try leases.admit(
                visit.visitor.holder, isPublisher: visit.media.isPublisher,
                replacing: holder.flatMap { media.publisher(of: $0) })
            let effects = try rules(visit, replacing: holder).get()
            visits[request]?.isAdmitted = true
            perform(effects)
        } catch {
            if visit.media.isPublisher { forgetIfVacant() }
            throw error
        }
    }

    /// Reserves the stream of a publisher, and opens the transport of the client.
    private func open(_ visitor: MediaVisitor, _ request: MediaRequestID, replacing holder: ConnectionID?) {
        var name: String?
        if let holder, case .publish(let stream, _) = visitor.purpose {
            logger.info("publisher taken over", metadata: ["stream": "\(stream)", "connection": "\(holder)"])
            name = conference.stream(stream)?.name ?? stream.rawValue
        }
        guard let stream = visitor.stream(takenOver: name) else {
            return media.open(visitor, request, now: time.now)
        }
        let newIDs = name == nil ? [StreamID(rawValue: stream.name)] : []
        let plan = conference.preparePublish([stream], from: holder ?? visitor.connection, newIDs: newIDs)
        media.open(visitor, request, replacing: holder, plan, now: time.now)
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
