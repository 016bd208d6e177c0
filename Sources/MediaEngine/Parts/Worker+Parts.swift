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
        session.addPart(on: worker, number: number, home: index, workers: configuration.workers)
        session.shareTransports(unestablished: peers.unestablishedCount(in: name))
        carryOut(session)
    }

    /// Removes a part that has ended.
    func removePart(_ worker: Int, number: UInt64, of name: String) {
        guard let session = sessions[name], !session.isPart else { return }
        session.removePart(on: worker, number: number)
        forgetIfEmpty(session)
    }

    /// Calls back when all parts of a session have applied its changes so far, or with the error of a part that accepts no message.
    func whenPartsHaveApplied(_ name: String, _ finish: @escaping @Sendable (EngineError?) -> Void) {
        guard let session = sessions[name] else { return finish(nil) }
        session.parts.whenApplied(totals, refusal: mailboxLimit, finish)
    }

    // MARK: other workers

    /// Runs a call in this worker's part of a session as soon as the part knows the session's streams. Begins the part if there is none.
    func runInPart(of name: String, home: Int, _ call: @escaping PartState.PartCall) {
        if sessions[name] == nil, home != index {
            let part = sessions.makePart(name, home: home)
            guard part.part?.post({ $0.addPart($1, number: $2, of: name) }, from: index, totals) == true else {
                return call(self, mailboxLimit)
            }
            sessions.list(part)
        }
        guard let session = sessions[name], session.part?.isSynchronized == false else { return call(self, nil) }
        let waits = session.part?.wait(call, atMost: configuration.limits.mailbox)
        if waits != true { call(self, mailboxLimit) }
    }

    /// Answers the calls that wait for a part, one by one: a part for which calls wait does not end.
    func answerWaiting(_ session: EngineSession, _ failure: EngineError?) {
        while let call = session.part?.takeWaiting() { call(self, failure) }
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
        let moved = peers.setSubsessions(moves, session: name, &awaited)
        session.apply(
            replica, moving: moved.compactMap(\.outbound), &links[reader], worker: index, now: time(), &inbound,
            &numbers, besides: plain, quiesced)
        carryOut(session)
        guard session.part?.synchronize() == true else { return }
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
        guard state.post({ $0.removePart($1, number: $2, of: name) }, from: index, totals) else {
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
}
