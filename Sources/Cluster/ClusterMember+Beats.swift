package import MediaBase

/// Lease, table of relays and isolation.
extension ClusterMember {
    /// Time between verifications of the sessions that the store has for this relay: a claim whose answer was lost leaves a row behind.
    static let verificationInterval = MediaTime.seconds(300)

    /// Registers the relay in the store.
    package mutating func start(now: MediaTime) { register(now) }

    /// Ends the membership in an orderly way. Sessions of the relay can be taken over at once.
    package mutating func leave() {
        guard let identity else {
            state = .left
            return
        }
        send(.leave(identity), .leave)
        state = .left
        fail(.notMember)
    }

    /// Notes the relay's load, which the next heartbeat reports.
    package mutating func note(_ load: RelayLoad) { self.load = load }

    /// Notes another relay's answer to `ClusterEffect.ask`.
    package mutating func relayAnswered(_ relay: RelayID, reachesStore: Bool, now: MediaTime) {
        tenure.note(relay, reachesStore: reachesStore, now: now)
    }

    /// Does what is due.
    package mutating func handleTimeout(now: MediaTime) {
        switch state {
        case .left, .replaced: return
        case .registering: if nextBeat <= now { register(now) }
        case .member(let identity):
            if nextBeat <= now {
                nextBeat = .never
                send(.beat(identity, load), .beat(sent: now))
            }
            endUnopened(now)
            guard tenure.freshEnd <= now, nextAsk == .never || nextAsk <= now else { return }
            nextAsk = now + settings.beatInterval
            tenure.note(description.id, reachesStore: false, now: now)
            let witnesses = witnesses
            if !witnesses.isEmpty { effects.append(.ask(witnesses.map(\.description))) }
        }
    }

    private mutating func register(_ now: MediaTime) {
        state = .registering
        nextBeat = .never
        send(.register(description, load), .register(sent: now))
    }

    mutating func registered(_ identity: RelayIdentity, _ records: [RelayRecord], sent: MediaTime, now: MediaTime) {
        guard state == .registering else { return }
        state = .member(identity)
        let isConfirmed = isConfirmed(now), hasLostData = tenure.sent != nil
        renew(records, sent: sent, now: now)
        guard hasLostData else { return }
        // Home relays of other sessions may act until their leases have ended, or until they have registered too.
        recoveryEnd = now + tenure.claimDelay
        claimsFrom = recoveryEnd
        reclaiming = []
        for (key, session) in sessions.sorted(by: { $0.key < $1.key }) {
            if session.isEnding {
                // The store has lost the session together with the relay's row.
                forget(key, session)
                claimForWaiting(key, now)
            } else {
                reclaiming.insert(key)
                isUnverified = true
                // Another relay may have taken the session over before the loss. It claims first.
                if isConfirmed { reclaim(key, session, identity) } else { repeats.insert(key) }
            }
        }
    }

    mutating func beaten(_ records: [RelayRecord], sent: MediaTime, now: MediaTime) {
        guard let identity else { return }
        renew(records, sent: sent, now: now)
        if isUnverified || nextVerification <= now { verify(identity, now) }
        // What failed while the store was away is repeated.
        for key in repeats.sorted() {
            guard let session = sessions[key] else {
                repeats.remove(key)
                continue
            }
            if session.isEnding {
                sendEnd(key, session)
            } else if reclaiming.contains(key) {
                guard mayClaim(now) else { continue }
                reclaim(key, session, identity)
            }
            repeats.remove(key)
        }
    }

    mutating func beatRefused(isReplaced: Bool, now: MediaTime) {
        guard identity != nil else { return }
        guard isReplaced else { return register(now) }
        state = .replaced
        effects.append(.replaced)
        fail(.notMember)
    }

    mutating func beatFailed(now: MediaTime) { nextBeat = now + settings.beatInterval }

    /// Makes the next heartbeat due, unless one is under way.
    mutating func beatAtOnce(_ now: MediaTime) {
        if nextBeat != .never { nextBeat = min(nextBeat, now) }
    }

    private mutating func renew(_ records: [RelayRecord], sent: MediaTime, now: MediaTime) {
        // A lease that has ended in between does not show that no one took a session over.
        if !tenure.isHeld(now) {
            interruptions += 1
            isUnverified = isUnverified || !sessions.isEmpty
        }
        let wasFresh = tenure.isFresh(now)
        tenure.renew(sent: sent)
        nextAsk = .never
        nextBeat = max(sent + settings.beatInterval, now)
        if nextVerification == .never { nextVerification = now + Self.verificationInterval }
        let lost = table.replace(with: records, forgetTime: settings.forgetTime, now: now)
        suspects.formUnion(lost.filter { $0.id != description.id })
        if !wasFresh || now < claimsFrom { delayClaims(wasFresh: wasFresh, sent: sent, now: now) }
        reportLost(now)
    }

    /// Sets the time from which on the relay may send claims again.
    private mutating func delayClaims(wasFresh: Bool, sent: MediaTime, now: MediaTime) {
        if !wasFresh { claimsFrom = now + tenure.claimDelay }
        let others = table.all.filter { $0.identity.id != description.id }
        if others.allSatisfy({ tenure.outlastsReports(silence: $0.silence, sent: sent, now: now) }) { claimsFrom = now }
        claimsFrom = max(claimsFrom, recoveryEnd)
    }

    /// Reports the relays whose leases have ended. When the store was away, all leases have ended, and the other relays renew theirs soon.
    private mutating func reportLost(_ now: MediaTime) {
        suspects = suspects.filter { table.living($0) == nil }
        guard now >= claimsFrom else { return }
        for lost in suspects.sorted(by: { $0.id < $1.id }) {
            known.remove(of: lost)
            effects.append(.relayLost(lost))
        }
        suspects = []
    }

    /// Compares the sessions of this relay with those in the store, unless that is under way.
    mutating func verify(_ identity: RelayIdentity, _ now: MediaTime) {
        guard !pending.values.contains(.held(interruptions: interruptions)), reclaiming.isEmpty else { return }
        nextVerification = now + Self.verificationInterval
        verifying = sessions.filter { !$0.value.isEnding }.mapValues(\.id)
        send(.held(identity), .held(interruptions: interruptions))
    }

    /// Ends sessions that were claimed and never used.
    private mutating func endUnopened(_ now: MediaTime) {
        for (key, until) in unopened where until <= now {
            if let session = sessions[key] { ended(key, session.id) }
        }
    }
}
