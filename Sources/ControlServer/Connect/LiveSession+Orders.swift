import Conference
import Logging
import MediaBase
import MediaEngine
import SessionMedia
import Signaling

/// Orders of `SessionMedia` to the media engine, and their answers.
extension LiveSession {
    func order(_ command: MediaCommand) {
        switch command {
        case .unpublish(let stream):
            if let publisher = publishers[stream], media.disown(stream) { closePublisher(publisher.connection) }
        case .closeMedia(let id):
            closePublisher(id)
            closeViewer(id)
        default: break
        }
        media.command(command)
        carryOutOrders()
    }

    /// Passes orders to the engine. Those that must not be overtaken are in its mailbox on return.
    func carryOutOrders() {
        for (ticket, order) in media.takeOrders() {
            switch order {
            case .setMuted(let stream, let kind, let isMuted):
                watch(
                    ticket, order,
                    environment.engine.beginSetMuted(
                        session: engineName, stream: stream.rawValue, kind: MediaKind(kind), muted: isMuted))
            case .closeStream(let stream):
                watch(ticket, order, environment.engine.beginCloseStream(session: engineName, stream: stream.rawValue))
            case .closePeer(let peer, let isPlain):
                // Its lease is free for a transport that is opened in its place.
                transports.remove(TransportID(peer))
                watch(ticket, order, close(TransportID(peer), isPlain: isPlain))
            case .openPublisher(let id, _, _), .openSubscriber(let id, _):
                do throws(EngineError) {
                    guard let client = clients[id] else { throw .unknownTransport("") }
                    let lease = try leaseTransport(of: client)
                    run(ticket, order, lease)
                } catch {
                    settle(ticket, order, .failure(error))
                }
            default: run(ticket, order, nil)
            }
        }
    }

    private func watch(_ ticket: MediaTicket, _ order: MediaOrder, _ call: EngineCall) {
        Task {
            do throws(EngineError) {
                try await call.finish()
                settle(ticket, order, .success(.done))
            } catch {
                settle(ticket, order, .failure(error))
            }
            continueMedia()
        }
    }

    /// - Parameter lease: counts the transport that the order opens.
    private func run(_ ticket: MediaTicket, _ order: MediaOrder, _ lease: ResourceLease?) {
        Task {
            do throws(EngineError) {
                let answer = try await environment.engine.carryOut(order, session: engineName)
                if let lease { opened(answer, order, lease) }
                settle(ticket, order, .success(answer))
            } catch {
                settle(ticket, order, .failure(error))
            }
            continueMedia()
        }
    }

    private func opened(_ answer: MediaAnswer, _ order: MediaOrder, _ lease: ResourceLease) {
        switch (order, answer) {
        case (.openPublisher(let id, _, _), .publisher(let peer, _)),
            (.openSubscriber(let id, _), .subscriber(let peer, _, _)):
            transports.insert(TransportID(peer), owner: id, lease: lease)
            logger.info("transport opened", metadata: ["connection": "\(id)", "transport": "\(peer)"])
        default: break
        }
    }

    private func settle(_ ticket: MediaTicket, _ order: MediaOrder, _ answer: Result<MediaAnswer, EngineError>) {
        if case .failure(let error) = answer { log(error, order) }
        media.settle(ticket, answer.mapError(MediaFailure.init), now: ControlClock.now)
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
        default: logger.notice("media engine refused a call", metadata: ["error": "\(error)"])
        }
    }

    /// Counts a transport of a client against its limits.
    ///
    /// - Throws: `limitReached` with the key of the limit.
    private func leaseTransport(of client: LiveConnection) throws(EngineError) -> ResourceLease {
        let lease = ResourceLease(.transports, for: client.lease.holder, accounts: environment.resources)
        do throws(ResourceExcess) {
            try lease.set(1)
        } catch {
            throw .limitReached(name: error.key, limit: error.limit)
        }
        return lease
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
        case .prepare(let request, let id, let streams):
            let newIDs = streams.map { _ in StreamID(rawValue: Secret.id()) }
            media.prepared(request, of: id, conference.preparePublish(streams, from: id, newIDs: newIDs))
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
        case .ended(let peer): transports.remove(TransportID(peer))
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
        case .readableKeys: ClientSocket.readable
        case .noStream(let stream):
            conference.isPublished(stream) ? nil : SignalingError(.unknownStream, field: "stream")
        }
    }
}
