import CLinuxNet
import Forwarding
import MediaBase

/// Control calls, effects and timers of sessions.
extension Worker {
    /// Runs a control call, and carries out the changes that it makes to its session.
    func run<R>(_ call: CallRouter.Body<R>, about name: String?) -> Result<R, EngineError> {
        let result = Result { () throws(EngineError) in try call(self, prepareForControl()) }
        if let name, let session = sessions[name] {
            carryOut(session)
            forgetIfEmpty(session)
        }
        return result
    }

    /// Carries out the effects of a session's change.
    func carryOut(_ session: EngineSession) {
        // The other parts hear of a change before a reader of its event can refer to it.
        if session.parts.isStale { session.updateParts(through: &links, inbound, now: time()) }
        if session.router.hasNewCatchUps { egress.noteCatchingUp(session) }
        while session.hasEffects {
            for effect in session.takeEffects() { carryOut(effect, of: session) }
        }
    }

    private func carryOut(_ effect: SessionEffect, of session: EngineSession) {
        switch effect {
        case .requestKeyFrame(let producer, let isAwaited): requestKeyFrame(of: producer, isAwaited: isAwaited)
        case .event(let event): events.send(event)
        case .allocate(let transport): allocateSoon(transport, now: time())
        case .needEncodings(let tracks): reportNeeds(tracks, of: session)
        case .visit: housekeepingSchedule.visitSoon(session, now: time())
        case .switched, .firstFrame, .refused, .keyFrameLimited, .trackPaused, .withheld: counters.count(effect)
        case .sendToPublisher(let bytes, let producer, let transport):
            egress.sendRTCP(bytes, to: producer, of: transport, peers, inbound)
        case .sendToSubscriber(let bytes, let track, let transport):
            egress.sendRTCP(bytes, to: track, of: transport, peers)
        case .publisherClosed(let transport, let tracks): plain.close(transport, tracks: tracks, egress.protector)
        case .subscriberClosed(let transport): plain.close(transport, egress.protector)
        #if DEBUG
            case .attached(let track, let producer): faults.withholdVideo(from: track, of: producer, in: session)
        #endif
        }
    }

    /// Runs the timers of the sessions that are due.
    func housekeeping(_ now: MediaTime) {
        let quiesced = flush()
        for session in housekeepingSchedule.takeSlice(of: sessions.byName, isSorted: virtual != nil, now: now) {
            session.lookAfter(&inbound, now: now, quiesced)
            adaptPipes(of: session, now: now, quiesced)
            carryOut(session)
            forgetIfEmpty(session)
            housekeepingSchedule.note(visited: session, now: now)
        }
        housekeepingSchedule.finish(sessions.byName, now: now)
    }

    /// Prepares for a control call, which may move paths and consumers, and start timers of any session.
    func prepareForControl() -> Quiesced {
        housekeepingSchedule.visitAll()
        return flush()
    }

    /// Closes all peers and transports.
    func closeAll() {
        let quiesced = flush()
        for session in Array(sessions.all) { answerWaiting(session, .stopped) }
        for peer in peers.all {
            peer.transport.close(now: time())
            act(on: peer, now: time())
            end(peer, quiesced)
        }
        for session in sessions.all {
            session.closeAll(&inbound, quiesced)
            carryOut(session)
        }
        sessions.removeAll()
        awaited.removeAll()
    }

    // MARK: streams

    func setMuted(_ name: String, _ stream: String, _ kind: MediaKind, _ muted: Bool, _ quiesced: borrowing Quiesced)
        throws(EngineError)
    {
        try sessions.find(name).setMuted(muted, kind, ofStream: stream, inbound, quiesced)
    }

    func setPaused(
        _ name: String, _ id: TransportID, _ kind: MediaKind, _ paused: Bool, _ quiesced: borrowing Quiesced
    ) throws(EngineError) {
        try sessions.find(name).setPaused(paused, kind, ofTransport: id, quiesced)
    }

    func requestKeyFrame(_ session: String, _ stream: String, for tap: PacketTap?) throws(EngineError) {
        try sessions.find(session).requestKeyFrame(ofStream: stream, for: tap)
    }

    func openTap(
        _ session: String, _ name: String, _ kinds: Set<MediaKind>, _ capacity: Int, decodes: Bool, chooses: Bool
    ) throws(EngineError) -> PacketTap {
        try sessions.find(session).openTap(
            on: name, kinds, capacity: capacity, decodes: decodes, chooses: chooses, now: time(), inbound, &counters)
    }

    // MARK: snapshots

    func snapshot() -> [SessionSnapshot] { sessions.all.map(\.snapshot) }

    func streams(_ name: String) throws(EngineError) -> [StreamSnapshot] {
        try sessions.find(name).streamSnapshots(now: time())
    }

    /// Returns the numbers of a session's subscribers on this worker, by stream.
    func subscriberCounts(_ name: String) -> [String: Int] { sessions[name]?.subscriberCounts() ?? [:] }

    func countersNow() -> EngineCounters {
        var result = counters
        result.workerCPU = UInt64(millrace_thread_cpu_ns())
        result.tcpAcceptPauses = sockets?.tcp?.counters.acceptFailures ?? 0
        sessions.count(into: &result)
        return result
    }
}
