package import Conference
package import MediaBase
package import Signaling

/// Home relays of sessions.
extension ClusterMember {
    /// Asks for the home relay of a session by its name. The answer is an effect, `resolved`, maybe of this call.
    ///
    /// - Parameters:
    ///   - newID: id of the session if there is none yet; nil: a session that does not exist is `unknown`.
    ///   - isProxied: whether another relay asks for its client. Then this relay takes a new session even if it is busy.
    package mutating func resolve(
        _ key: SessionKey, newID: SessionID?, isProxied: Bool, ticket: ResolveTicket, now: MediaTime
    ) {
        guard let identity else { return answer(ticket, unavailable(.notMember)) }
        if let session = sessions[key], !session.isEnding {
            return answer(ticket, mayAct(now) ? .here(session.id) : unavailable(.unconfirmed))
        }
        // The relay that proxies a request believes that this one is the home relay, so what this one remembers may be as outdated.
        if !isProxied, let placement = known[key], let record = table.living(placement.home) {
            return answer(ticket, .there(record))
        }
        known.remove(key)
        guard tenure.isHeld(now) else { return answer(ticket, unavailable(.storeUnreachable)) }
        guard waitingCount < settings.waiting else { return answer(ticket, unavailable(.tooMany)) }
        guard let newID else { return lookUp(key, ticket) }
        // A session that is ending is claimed after its end, which the store may not have answered.
        guard mayClaim(now), !repeats.contains(key) else { return answer(ticket, unavailable(.storeUnreachable)) }
        let client = Waiting(ticket: ticket, id: newID)
        waitingCount += 1
        if waiting[key] != nil || sessions[key] != nil {
            waiting[key, default: []].append(client)
        } else if !isProxied, betterRelay != nil {
            choosing[key, default: []].append(client)
            if choosing[key]?.count == 1 { send(.lookup(key), .choose(key)) }
        } else {
            waiting[key] = [client]
            claim(key, newID, identity)
        }
    }

    /// Asks for the home relay of a session by its id, for a client that resumes.
    package mutating func resolve(_ id: SessionID, ticket: ResolveTicket, now: MediaTime) {
        guard identity != nil else { return answer(ticket, unavailable(.notMember)) }
        if let key = keys[id], let session = sessions[key] {
            guard !session.isEnding else { return answer(ticket, .unknown) }
            return answer(ticket, mayAct(now) ? .here(id) : unavailable(.unconfirmed))
        }
        if let placement = known[id], let record = table.living(placement.home) {
            return answer(ticket, .there(record))
        }
        guard tenure.isHeld(now) else { return answer(ticket, unavailable(.storeUnreachable)) }
        guard waitingCount < settings.waiting else { return answer(ticket, unavailable(.tooMany)) }
        waitingCount += 1
        finding[id, default: []].append(ticket)
        if finding[id]?.count == 1 { send(.find(id), .find(id)) }
    }

    private mutating func lookUp(_ key: SessionKey, _ ticket: ResolveTicket) {
        guard sessions[key] == nil else { return answer(ticket, .unknown) }
        waitingCount += 1
        lookingUp[key, default: []].append(ticket)
        if lookingUp[key]?.count == 1 { send(.lookup(key), .lookup(key)) }
    }

    /// Forgets the home relay of a session after that relay has said that it is none.
    package mutating func forget(_ key: SessionKey, at home: RelayIdentity) {
        if known[key]?.home == home { known.remove(key) }
    }

    /// Notes that a client uses a session of this relay.
    package mutating func opened(_ id: SessionID) {
        if let key = keys[id] { unopened[key] = nil }
    }

    /// Notes that a session of this relay has ended.
    package mutating func ended(_ id: SessionID) {
        guard let key = keys[id] else { return }
        ended(key, id)
    }

    mutating func ended(_ key: SessionKey, _ id: SessionID) {
        guard let session = sessions[key], session.id == id, !session.isEnding else { return }
        sessions[key]?.isEnding = true
        unopened[key] = nil
        reclaiming.remove(key)
        sendEnd(key, session)
    }

    mutating func sendEnd(_ key: SessionKey, _ session: HeldSession) {
        guard let identity else { return }
        let reason = Pending.end(key, session.id, term: session.term)
        guard !pending.values.contains(reason) else { return }
        send(.end(session.id, home: identity, term: session.term), reason)
    }

    /// Handles a row of this relay in the store without a session, which is left from a claim whose answer was lost. A session of an earlier home relay
    /// has state and clients that return, so it is held; a new one ends.
    private mutating func settleLeftover(_ placement: SessionPlacement, _ identity: RelayIdentity, _ now: MediaTime) {
        guard placement.term > 1 else { return endLeftover(placement) }
        guard sessions[placement.key] == nil, waiting[placement.key] == nil else { return }
        guard mayClaim(now) else {
            nextVerification = .zero
            return
        }
        // The session may have ended since the store has answered.
        waiting[placement.key] = []
        takeOver(placement.key, placement.id, identity)
    }

    /// Ends a row of this relay in the store without a session.
    private mutating func endLeftover(_ placement: SessionPlacement) {
        guard sessions[placement.key] == nil, waiting[placement.key] == nil else { return }
        let session = HeldSession(id: placement.id, term: placement.term, isEnding: true)
        sessions[placement.key] = session
        keys[placement.id] = placement.key
        sendEnd(placement.key, session)
    }

    /// A relay that is better for a new session than this one; nil if there is none.
    private var betterRelay: RelayRecord? {
        if load.isDraining {
            return table.least(loadedBelow: .infinity, region: description.region, other: description.id)
        }
        guard load.use > settings.busyUse else { return nil }
        return table.least(loadedBelow: settings.busyUse, region: description.region, other: description.id)
    }

    private mutating func claim(_ key: SessionKey, _ newID: SessionID, _ identity: RelayIdentity) {
        send(
            .claim(key, newID: newID, home: identity, minimumTerm: 1), .claim(key, interruptions: interruptions))
    }

    private mutating func takeOver(_ key: SessionKey, _ id: SessionID, _ identity: RelayIdentity) {
        send(.takeOver(id, home: identity), .takeOver(key, id, interruptions: interruptions))
    }

    /// Claims a name for the clients that waited for the end of its previous session.
    mutating func claimForWaiting(_ key: SessionKey, _ now: MediaTime) {
        guard let first = waiting[key]?.first else { return }
        guard let identity, mayClaim(now) else { return answer(takeWaiting(key), unavailable(.storeUnreachable)) }
        if first.isResuming { takeOver(key, first.id, identity) } else { claim(key, first.id, identity) }
    }

    mutating func reclaim(_ key: SessionKey, _ session: HeldSession, _ identity: RelayIdentity) {
        let term = session.term < .max ? session.term + 1 : .max
        send(.claim(key, newID: session.id, home: identity, minimumTerm: term), .reclaim(key, identity))
    }

    // MARK: answers of the store

    mutating func claimed(_ key: SessionKey, _ placement: SessionPlacement, interruptions: Int, now: MediaTime) {
        let waiting = takeWaiting(key)
        guard let identity, placement.key == key else { return answer(waiting, unavailable(.notMember)) }
        if placement.home == identity {
            // A new session has the term 1.
            sessions[key] = HeldSession(id: placement.id, term: placement.term, mayHaveState: placement.term > 1)
            keys[placement.id] = key
            unopened[key] = now + settings.openTime
            // The session may have been taken over since the store carried the claim out.
            if interruptions != self.interruptions { isUnverified = true }
            return answer(
                waiting, mayAct(now) ? .here(placement.id) : unavailable(.unconfirmed), resumed: placement.id)
        }
        remember(placement)
        answer(waiting, resolution(placement), resumed: placement.id)
    }

    /// Handles the result of a take-over for clients that resume. If the session has ended in the meantime, its name is claimed for the others.
    mutating func tookOver(
        _ key: SessionKey, _ id: SessionID, _ placement: SessionPlacement?, interruptions: Int, now: MediaTime
    ) {
        if let placement { return claimed(key, placement, interruptions: interruptions, now: now) }
        let clients = takeWaiting(key)
        let others = clients.filter { !$0.isResuming || $0.id != id }
        answer(clients.filter { $0.isResuming && $0.id == id }, .unknown)
        guard !others.isEmpty else { return }
        waiting[key] = others
        waitingCount += others.count
        claimForWaiting(key, now)
    }

    /// Handles the failure of a claim. It may have left a row behind: the next heartbeat looks for it.
    mutating func claimFailed(_ key: SessionKey) {
        nextVerification = .zero
        answer(takeWaiting(key), unavailable(.storeUnreachable))
    }

    mutating func reclaimed(
        _ key: SessionKey, _ placement: SessionPlacement, as home: RelayIdentity, now: MediaTime
    ) {
        // The store has lost its data once more since the claim.
        guard let identity, home == identity else { return }
        let isOurs = placement.home == identity
        if let session = sessions[key], isOurs, placement.id == session.id {
            sessions[key]?.term = placement.term
            effects.append(.reclaimed(session.id))
            // The session has ended since the claim; its end did not find the row.
            if session.isEnding { sendEnd(key, HeldSession(id: session.id, term: placement.term)) }
        } else {
            if reclaiming.contains(key), let session = sessions[key] { supersede(key, session) }
            // The claim may have taken over another session of this name, which another relay began after the loss of data.
            if isOurs { settleLeftover(placement, identity, now) } else { remember(placement) }
        }
        if reclaiming.remove(key) != nil, reclaiming.isEmpty { verify(identity, now) }
    }

    mutating func found(_ id: SessionID, _ placement: SessionPlacement?, now: MediaTime) {
        let tickets = finding.removeValue(forKey: id) ?? []
        if keys[id] != nil {
            // This relay has become the home relay since then.
            waitingCount -= tickets.count
            for ticket in tickets { resolve(id, ticket: ticket, now: now) }
            return
        }
        guard let identity, let placement, mayClaim(now), sessions[placement.key] == nil,
            placement.home == identity ? placement.term > 1 : !placement.isHomeAlive
        else { return answer(tickets, placement, now) }
        // The clients take their session along.
        let key = placement.key
        let isFirst = waiting[key] == nil
        waiting[key, default: []] += tickets.map { Waiting(ticket: $0, id: id, isResuming: true) }
        if isFirst { takeOver(key, id, identity) }
    }

    mutating func lookedUp(_ key: SessionKey, _ placement: SessionPlacement?, now: MediaTime) {
        answer(lookingUp.removeValue(forKey: key) ?? [], placement, now)
    }

    /// Handles the look-up of a name for which this relay is too busy: only a session without a living home relay goes to a better one.
    mutating func chosen(_ key: SessionKey, _ placement: SessionPlacement?, now: MediaTime) {
        let clients = takeChoosing(key)
        if let placement, table.living(placement.home) != nil, placement.home != identity {
            remember(placement)
            return answer(clients, resolution(placement))
        }
        if let other = betterRelay, placement?.home != identity { return answer(clients, .there(other)) }
        for client in clients {
            resolve(key, newID: client.id, isProxied: true, ticket: client.ticket, now: now)
        }
    }

    mutating func chooseFailed(_ key: SessionKey) { answer(takeChoosing(key), unavailable(.storeUnreachable)) }

    /// Answers with the placement of an existing session. A row of this relay without a session is left from a claim whose answer was lost.
    private mutating func answer(_ tickets: [ResolveTicket], _ placement: SessionPlacement?, _ now: MediaTime) {
        var resolution = Resolution.unknown
        if let placement, placement.home != identity {
            remember(placement)
            resolution = self.resolution(placement)
        } else if let placement, let session = sessions[placement.key], !session.isEnding, session.id == placement.id {
            resolution = mayAct(now) ? .here(session.id) : unavailable(.unconfirmed)
        }
        settle(tickets, resolution)
    }

    mutating func findFailed(_ id: SessionID) {
        settle(finding.removeValue(forKey: id) ?? [], unavailable(.storeUnreachable))
    }

    mutating func lookUpFailed(_ key: SessionKey) {
        settle(lookingUp.removeValue(forKey: key) ?? [], unavailable(.storeUnreachable))
    }

    /// Compares the sessions of this relay with those in the store.
    mutating func verified(_ placements: [SessionPlacement], interruptions: Int, now: MediaTime) {
        // The lease has ended since the request was sent, or the store has lost its data: the answer is of the time before.
        guard interruptions == self.interruptions, reclaiming.isEmpty, let identity else { return }
        let stored = Dictionary(placements.map { ($0.key, $0) }) { $1 }
        for (key, id) in verifying.sorted(by: { $0.key < $1.key }) {
            guard let session = sessions[key], !session.isEnding, session.id == id else { continue }
            guard let placement = stored[key], placement.id == session.id, placement.term == session.term else {
                supersede(key, session)
                continue
            }
        }
        verifying = [:]
        isUnverified = false
        for placement in placements where placement.home == identity { settleLeftover(placement, identity, now) }
    }

    /// Handles the end of a session in the store. Clients that asked for the name in the meantime get a new session.
    mutating func endedInStore(_ key: SessionKey, _ id: SessionID, term: Int64, now: MediaTime) {
        guard let session = ending(key, id, term) else { return }
        forget(key, session)
        claimForWaiting(key, now)
    }

    /// Handles the failure of an end: its row is deleted after the next heartbeat, and no client waits for that.
    mutating func endFailed(_ key: SessionKey, _ id: SessionID, term: Int64) {
        guard ending(key, id, term) != nil else { return }
        repeats.insert(key)
        answer(takeWaiting(key), unavailable(.storeUnreachable))
    }

    /// Returns the session to which the answer of an end belongs; nil if the name has another one by now.
    private func ending(_ key: SessionKey, _ id: SessionID, _ term: Int64) -> HeldSession? {
        guard let session = sessions[key], session.isEnding, session.id == id, session.term == term else { return nil }
        return session
    }

    mutating func forget(_ key: SessionKey, _ session: HeldSession) {
        sessions[key] = nil
        keys[session.id] = nil
        unopened[key] = nil
        repeats.remove(key)
        reclaiming.remove(key)
    }

    private mutating func supersede(_ key: SessionKey, _ session: HeldSession) {
        forget(key, session)
        effects.append(.superseded(key, session.id))
    }

    private mutating func remember(_ placement: SessionPlacement) {
        if table.living(placement.home) != nil { known.insert(placement) }
    }

    private func resolution(_ placement: SessionPlacement) -> Resolution {
        table.living(placement.home).map(Resolution.there) ?? unavailable(.homeLost)
    }

    // MARK: answers to clients

    /// Refuses all clients that wait.
    mutating func fail(_ reason: Resolution.Unavailability) {
        for key in waiting.keys.sorted() { answer(takeWaiting(key), unavailable(reason)) }
        for key in choosing.keys.sorted() { answer(takeChoosing(key), unavailable(reason)) }
        for tickets in Array(finding.values) + Array(lookingUp.values) { settle(tickets, unavailable(reason)) }
        finding = [:]
        lookingUp = [:]
    }

    private mutating func takeWaiting(_ key: SessionKey) -> [Waiting] {
        let list = waiting.removeValue(forKey: key) ?? []
        waitingCount -= list.count
        return list
    }

    private mutating func takeChoosing(_ key: SessionKey) -> [Waiting] {
        let list = choosing.removeValue(forKey: key) ?? []
        waitingCount -= list.count
        return list
    }

    private func unavailable(_ reason: Resolution.Unavailability) -> Resolution {
        .unavailable(retryAfter: settings.beatInterval, reason)
    }

    private mutating func answer(_ ticket: ResolveTicket, _ resolution: Resolution) {
        effects.append(.resolved(ticket, resolution))
    }

    private mutating func settle(_ tickets: [ResolveTicket], _ resolution: Resolution) {
        waitingCount -= tickets.count
        for ticket in tickets { answer(ticket, resolution) }
    }

    /// - Parameter id: the name's session. Clients that resume another one are told that it is unknown.
    private mutating func answer(_ list: [Waiting], _ resolution: Resolution, resumed id: SessionID? = nil) {
        for waiting in list {
            let isOther = waiting.isResuming && id != nil && waiting.id != id
            answer(waiting.ticket, isOther ? .unknown : resolution)
        }
    }
}
