import Forwarding
import MediaBase

/// Parts of sessions on several workers. A session has its publishers on its home worker; the other parts have subscribers. All messages
/// between parts pass through mailboxes, and none is answered by waiting.
extension Worker {
    private var mailboxLimit: EngineError { .limitReached(name: "mailbox", limit: configuration.limits.mailbox) }

    // MARK: home worker

    /// Adds a part of a session on another worker, and sends it the published streams.
    func addPart(_ worker: Int, number: UInt64, of name: String) {
        let session = sessions.listed(name)
        guard !session.isPart, links.connect(to: worker, totals) else {
            _ = totals.post({ $0.refusePart(number, of: name) }, to: worker, isUrgent: true)
            return
        }
        placement.hold(name, by: index)
        let total = session.parts.add(worker, number: number, workers: configuration.workers)
        session.describeAnew()
        session.transports = (total, index)
        session.shareTransports(unestablished: peers.unestablishedCount(in: name))
        carryOut(session)
    }

    /// Removes a part that has ended.
    func removePart(_ worker: Int, number: UInt64, of name: String) {
        guard let session = sessions[name], !session.isPart else { return }
        session.parts.remove(worker, number: number)
        forgetIfEmpty(session)
    }

    /// Sends the published streams, and moves of peers, to the other parts.
    func updateParts(of session: EngineSession) {
        guard let transports = session.parts.transports, time() >= session.parts.retryAt else { return }
        let replica = session.replica(transports, inbound)
        let name = session.name
        var accepted: Set<Int> = []
        for (i, part) in session.parts.all.enumerated() {
            let number = part.number
            let moves = part.moves.map { PeerMove(peer: $0.key, subsession: $0.value) }
            let isAccepted = links.send(to: part.worker) { worker, link, message in
                worker.apply(replica, moves, of: name, part: number, from: link, message: message)
            }
            if isAccepted { accepted.insert(i) }
        }
        session.parts.sent(accepted: accepted, now: time())
        // The others are told again with the next change, at the latest when housekeeping visits the session.
        if session.parts.isStale { housekeepingSchedule.visitSoon(session, now: time()) }
    }

    /// Calls back when all parts of a session have applied its changes so far.
    /// - Parameter finish: receives the error if a part accepts no message.
    func whenPartsHaveApplied(_ name: String, _ finish: @escaping @Sendable (EngineError?) -> Void) {
        guard let session = sessions[name], !session.parts.isEmpty else { return finish(nil) }
        carryOut(session)
        let countdown = PartsCountdown(session.parts.all.count, finish)
        for part in session.parts.all {
            let isKnown = session.parts.receivers & 1 << UInt64(part.worker) != 0
            // Mailboxes keep the order: the part has applied the changes when it runs this.
            if !isKnown || !totals.post({ _ in countdown.arrive() }, to: part.worker, isUrgent: true) {
                countdown.arrive(mailboxLimit)
            }
        }
    }

    // MARK: other workers

    /// Runs a call in this worker's part of a session as soon as the part knows the session's streams. Begins the part if there is none.
    func runInPart(
        of name: String, home: Int, _ call: @escaping @Sendable (Worker, EngineError?) -> Void
    ) {
        if let session = sessions[name] {
            guard let state = session.part, !state.isSynchronized else { return call(self, nil) }
            guard state.waiting.count < configuration.limits.mailbox else { return call(self, mailboxLimit) }
            session.part?.wait(call)
            return
        }
        guard home != index else { return call(self, nil) }
        let session = sessions.makePart(name, home: home)
        guard post({ $0.addPart($1, number: $2, of: name) }, toHomeOf: session) else { return call(self, mailboxLimit) }
        session.part?.wait(call)
        sessions.list(session)
    }

    /// Posts a message about a part to its home worker.
    /// - Parameter message: receives the home worker, and worker and number of the part.
    /// - Returns: false if the home worker accepts no more.
    private func post(_ message: @escaping @Sendable (Worker, Int, UInt64) -> Void, toHomeOf session: EngineSession)
        -> Bool
    {
        guard let part = session.part else { return false }
        let worker = index
        let number = part.number
        return totals.post({ message($0, worker, number) }, to: part.home, isUrgent: true)
    }

    /// Answers the calls that wait for a part.
    private func answerWaiting(_ session: EngineSession, _ failure: EngineError?) {
        for call in session.part?.takeWaiting() ?? [] { call(self, failure) }
    }

    /// Applies a message of the home worker.
    /// - Parameters:
    ///   - part: number of the part that the message is for. A message for an earlier part of the session is ignored.
    ///   - message: number of the message on its link.
    func apply(
        _ replica: SessionReplica, _ moves: [PeerMove], of name: String, part: UInt64,
        from link: WorkerLink, message: UInt64
    ) {
        let reader = links.reader(of: link)
        read(reader, before: message)
        links[reader].begin(message)
        guard let session = sessions[name], session.part?.number == part else { return }
        let quiesced = prepareForControl()
        session.transports = (replica.transports, index)
        let moved = setSubsessions(moves, session: name)
        session.apply(
            replica, moving: moved.compactMap(\.outbound), &links[reader], now: time(), &inbound, &numbers,
            besides: plain, quiesced)
        carryOut(session)
        guard session.part?.isSynchronized == false else { return }
        session.part?.isSynchronized = true
        answerWaiting(session, nil)
        forgetIfEmpty(session)
    }

    /// Ends a part that the home worker does not accept, because the session has another home worker by now.
    func refusePart(_ number: UInt64, of name: String) {
        guard let session = sessions[name], session.part?.number == number else { return }
        answerWaiting(session, .unknownSession(name))
        forgetIfEmpty(session)
    }

    /// Ends a part without subscribers. Peers that have not connected yet keep it.
    func endPartIfEmpty(_ session: EngineSession) {
        let name = session.name
        guard let state = session.part, session.isEmpty, sessions[name] === session,
            peers.unestablishedCount(in: name) == 0
        else { return }
        guard post({ $0.removePart($1, number: $2, of: name) }, toHomeOf: session) else {
            // The home worker must know, so that the session can end: the next visit tries again.
            housekeepingSchedule.visitSoon(session, now: time())
            return
        }
        if let reader = links.reader(from: state.home) {
            session.endMirrors(&links[reader], &inbound, flush())
            carryOut(session)
        }
        _ = sessions.forgetIfEmpty(session)
    }

    /// Refuses the calls that wait for parts, because the worker stops.
    func refuseWaiting() { for session in Array(sessions.all) { answerWaiting(session, .stopped) } }
}
