import Cluster
import MediaBase
import Signaling

/// State of sessions, which clients change, home relays save, and the next home relay loads.
extension VirtualCluster {
    /// Lets a client enter a session of a relay, whose state is loaded first if an earlier home relay may have saved some.
    func enter(_ relay: Int, _ client: Int, _ id: SessionID) {
        let member = relays[relay].member
        if relays[relay].states[id] == nil {
            guard let tenure = member.tenure(of: id) else { return again(client, after: duration(100, 1_000)) }
            lastState += 1
            var session = VirtualSession(number: lastState)
            if !member.mayHaveState(id) { session.saver = StateSaver() }
            relays[relay].states[id] = session
            if session.saver == nil { send(.load(id, tenure), relay, id) }
        }
        guard relays[relay].states[id]?.saver != nil else {
            relays[relay].states[id]?.entering.append((client, clients[client].attempt))
            return
        }
        let seat = VirtualSession.seat(client)
        if clients[client].resumes == id, let saved = clients[client].saved, saved.session == id,
            ledger.isKept(id, since: saved.time, under: member.tenure(of: id)),
            relays[relay].states[id]?.seats[seat] == nil
        {
            report("relay \(relay) does not know the seat of client \(client) in \(id)")
        }
        change(relay) { member, _ in member.opened(id) }
        relays[relay].clients[id, default: []].insert(client)
        clients[client].session = id
        clients[client].home = relay
        clients[client].resumes = nil
        joins += 1
        note(relay, id, seat: "attempt \(clients[client].attempt)", of: client)
        events.add(.change(client: client, attempt: clients[client].attempt), at: now + duration(10, 1_000))
    }

    /// Notes a client's seat; nil: it has left.
    func note(_ relay: Int, _ id: SessionID, seat text: String?, of client: Int) {
        relays[relay].states[id]?.seats[VirtualSession.seat(client)] = text
        let time = relays[relay].clock(now)
        relays[relay].states[id]?.saver?.note(seat: text, of: VirtualSession.seat(client), now: time)
        examine(relay, id)
    }

    /// Lets a client change the state of its session.
    func changeState(_ client: Int, _ attempt: Int) {
        guard clients[client].attempt == attempt, let id = clients[client].session else { return }
        let relay = clients[client].home
        let event = Event.change(client: client, attempt: attempt)
        guard relays[relay].stalledUntil <= now else { return events.add(event, at: relays[relay].stalledUntil) }
        events.add(event, at: now + duration(50, 2_000))
        guard relays[relay].acts(now), relays[relay].states[id]?.saver != nil else { return }
        lastChange += 1
        let change = lastChange, time = relays[relay].clock(now)
        relays[relay].states[id]!.changes.append(change)
        let text = VirtualSession.text(relays[relay].states[id]!.changes)
        relays[relay].states[id]!.saver!.note(essence: text, now: time)
        relays[relay].states[id]!.saver!.hurry(now: time)
        let latest = relays[relay].states[id]!.saver!.latestChange
        relays[relay].states[id]!.unanswered.append(
            VirtualSession.Unanswered(
                change: latest, number: change, client: client, attempt: attempt, begin: now))
        examine(relay, id)
    }

    /// Saves the whole state of a session again, because the store has lost its data.
    func renewState(_ relay: Int, _ id: SessionID) {
        let time = relays[relay].clock(now)
        relays[relay].states[id]?.saver?.recheck(now: time)
        examine(relay, id)
    }

    /// Saves the state of a session if that is due, and answers changes.
    func examine(_ relay: Int, _ id: SessionID) {
        guard var session = relays[relay].states[id], var saver = session.saver else { return }
        let time = relays[relay].clock(now), acts = relays[relay].acts(now)
        let tenure = relays[relay].member.tenure(of: id)
        let isStoreDown = relays[relay].member.isStoreDown(time)
        let changes = saver.takeSave(under: tenure, now: time)
        while let next = session.unanswered.first {
            let outcome = saver.outcome(of: next.change, after: now - next.begin, acts: acts, isStoreDown: isStoreDown)
            guard outcome != .wait else { break }
            session.unanswered.removeFirst()
            if outcome == .answer { acknowledge(next, id, isSaved: saver.isSaved(next.change)) }
        }
        session.saver = saver
        let deadline = relays[relay].time(saver.deadline)
        if deadline != .never, session.timerTime <= now || deadline < session.timerTime {
            session.timerTime = max(deadline, now)
            events.add(.state(relay: relay, process: relays[relay].process, id), at: session.timerTime)
        }
        relays[relay].states[id] = session
        if let changes, let tenure { send(.save(id, tenure, changes), relay, id) }
    }

    private func acknowledge(_ entry: VirtualSession.Unanswered, _ id: SessionID, isSaved: Bool) {
        let (isStored, fault) = ledger.acknowledge(id, entry.number, isSaved: isSaved, now)
        if let fault { report(fault) }
        // Seats are saved in the order of changes, so the store has that of the same stay as well. The client may have left and joined again since.
        if isStored, clients[entry.client].session == id, clients[entry.client].attempt == entry.attempt {
            clients[entry.client].saved = (id, now)
        }
    }

    private func send(_ request: StoreRequest, _ relay: Int, _ id: SessionID) {
        guard let number = relays[relay].states[id]?.number else { return }
        let event = Event.stateRequest(
            relay: relay, process: relays[relay].process, id, number: number, request, sent: now)
        events.add(event, at: now + delay())
    }

    func stateAnswered(
        _ relay: Int, _ id: SessionID, _ number: Int, _ request: StoreRequest,
        _ result: Result<StoreAnswer, StoreFailure>
    ) {
        guard relays[relay].states[id]?.number == number else { return }
        let time = relays[relay].clock(now)
        switch (request, result) {
        case (.save, .success(.saved)): relays[relay].states[id]?.saver?.finished(.saved, now: time)
        case (.save(_, let tenure, _), .success):
            relays[relay].states[id]?.saver?.finished(.refused, now: time)
            change(relay) { $0.saveRefused(id, tenure, now: $1) }
        case (.save, .failure): relays[relay].states[id]?.saver?.finished(.failed, now: time)
        case (.load(_, let tenure), .success(.loaded(let stored))): restore(relay, id, stored, tenure)
        case (.load(_, let tenure), .success):
            dropState(relay, id)
            change(relay) { $0.saveRefused(id, tenure, now: $1) }
        default: dropState(relay, id)
        }
        examine(relay, id)
    }

    private func restore(_ relay: Int, _ id: SessionID, _ stored: StoredSession, _ tenure: SessionTenure) {
        guard var session = relays[relay].states[id] else { return }
        session.saver = StateSaver(stored: stored, tenure: tenure)
        session.changes = VirtualSession.changes(stored.essence)
        session.seats = stored.seats
        let entering = session.entering
        session.entering = []
        relays[relay].states[id] = session
        if let fault = ledger.check(id, session.changes, isLoaded: true) { report(fault) }
        restorations += 1
        for (client, attempt) in entering where clients[client].attempt == attempt {
            open(relay, relays[relay].process, client, id)
        }
    }

    /// Forgets the state of a session at a relay. Clients that wait for it try again.
    func dropState(_ relay: Int, _ id: SessionID) {
        guard let session = relays[relay].states.removeValue(forKey: id) else { return }
        for (client, attempt) in session.entering where clients[client].attempt == attempt {
            again(client, after: duration(100, 1_000))
        }
    }

    /// Checks that the store has the state that a relay believes to be saved, of the sessions that it still has under the relay's tenure.
    func checkStored(_ relay: Int) {
        for (id, session) in relays[relay].states where session.saver?.isSaved == true {
            guard let tenure = relays[relay].member.tenure(of: id),
                case .loaded(let stored) = store.perform(.load(id, tenure), now: now)
            else { continue }
            if VirtualSession.changes(stored.essence) != session.changes || stored.seats != session.seats {
                report("the store has \(stored) of \(id), and relay \(relay) \(session.changes), \(session.seats)")
            }
        }
    }

    /// Checks that the home relays have all acknowledged changes of their sessions.
    func checkState() {
        for relay in relays.indices {
            for (id, session) in relays[relay].states where session.saver != nil {
                if let fault = ledger.check(id, session.changes, isLoaded: false) { report(fault) }
            }
        }
    }
}
