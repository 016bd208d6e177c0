import Conference
import Logging
import MediaEngine
import SessionMedia
import Signaling

/// Orders of `SessionMedia` to the media engines, and their answers.
extension LiveSession {
    /// Passes orders to the engines. Those that must not be overtaken are in the mailbox of this relay's engine on return.
    func carryOutOrders() {
        for (ticket, order) in media.takeOrders() {
            if case .closePeer(let peer, _) = order {
                // Its lease is free for a transport that is opened in its place.
                leases.end(peer)
                logger.info("transport closed", metadata: ["transport": "\(peer)"])
            }
            do throws(EngineError) {
                try lease(ticket, order)
                clusterMedia.order(ticket, order, at: relay(for: order), now: ControlClock.now)
            } catch {
                settle(ticket, order, .failure(error))
            }
            // One by one, so that orders that must not be overtaken are begun in their order.
            carryOutCalls()
        }
    }

    /// Counts the transport that an order opens, if it opens one.
    private func lease(_ ticket: MediaTicket, _ order: MediaOrder) throws(EngineError) {
        switch order {
        case .openVisitor(let request, _):
            guard let visit = visits[request] else { throw .unknownTransport("") }
            leases.begin(ticket, visit.leases)
        case .openPublisher(let id, _, _), .openSubscriber(let id, _):
            guard let client = clients[id] else { throw .unknownTransport("") }
            try leases.begin(ticket, for: client.lease.holder)
        default: break
        }
    }

    /// Passes the outcome of an order on to `SessionMedia`.
    func settle(_ ticket: MediaTicket, _ order: MediaOrder, _ answer: Result<MediaAnswer, EngineError>) {
        switch answer {
        case .success(let answer):
            leases.settle(ticket, answer.peer)
            if let peer = answer.peer { logOpened(peer, order) }
        case .failure(let error):
            leases.settle(ticket, nil)
            log(error, order)
            if case .openVisitor(let request, _) = order { visits[request]?.failure = error }
        }
        media.settle(ticket, answer.mapError(MediaFailure.init), now: ControlClock.now)
    }

    private func logOpened(_ peer: PeerID, _ order: MediaOrder) {
        switch order {
        case .openPublisher(let id, _, _), .openSubscriber(let id, _):
            logger.info("transport opened", metadata: ["connection": "\(id)", "transport": "\(peer)"])
        // The endpoints log the transports that they open.
        default: break
        }
    }

    private func log(_ error: EngineError, _ order: MediaOrder) {
        switch (error, order) {
        // The object is gone already.
        case (.unknownSession, _), (.unknownStream, _), (.unknownTransport, _), (.stopped, _): break
        case (_, .setMuted(let stream, _, _)):
            logger.error(
                "media engine could not change a mute", metadata: ["stream": "\(stream)", "error": "\(error)"])
        case (_, .closeStream), (_, .closePeer):
            logger.error("media engine could not close a transport or stream", metadata: ["error": "\(error)"])
        // Its client gets the error.
        case (_, .openVisitor): break
        default: logger.notice("media engine refused a call", metadata: ["error": "\(error)"])
        }
    }

    // MARK: outputs

    func carryOut(_ output: MediaOutput) {
        switch output {
        case .report(let event):
            report(event)
            if case .published(_, let stream, _, _, _, _) = event { reportRecording(of: stream) }
        case .offer(let id, let offer): tell(id, .offer(offer))
        case .done(let request, let refusal):
            requests.takeDone(request)?(refusal)
            requests.resume(request)
        case .admit(let request, let visitor, let holder):
            let result = admit(request, visitor, replacing: holder)
            media.admitted(request, visitor, replacing: holder, result, now: ControlClock.now)
        case .prepare(let request, let id, let streams, let newID):
            let newIDs = newID.map { [$0] } ?? streams.map { _ in StreamID(rawValue: Secret.id()) }
            let plan = conference.preparePublish(streams, from: id, newIDs: newIDs)
            media.prepared(request, of: id, plan, now: ControlClock.now)
        case .confirm(let request, let plan):
            let ticket = media.lastTicket
            // The answer is sent before the events that the publication causes.
            clients[plan.connection]?.isHeld = true
            perform(conference.confirmPublish(plan))
            media.confirmed(request, of: plan.connection, after: ticket)
        case .cancel(let plan): perform(conference.cancelPublish(plan))
        case .published(let request, let result):
            requests.takePublished(request)?(result)
            requests.resume(request)
        case .ended(let peer):
            leases.end(peer)
            clusterMedia.ended(peer, now: ControlClock.now)
            carryOutCalls()
        }
    }

    // MARK: waiting

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
