package import MediaBase

/// Answers of the store.
extension ClusterMember {
    /// Handles the result of a request. Results of unknown requests are ignored.
    package mutating func answered(
        _ ticket: StoreTicket, _ result: Result<StoreAnswer, StoreFailure>, now: MediaTime
    ) {
        guard let reason = pending.removeValue(forKey: ticket) else { return }
        switch result {
        case .success(let answer):
            storeFailure = nil
            handle(answer, reason, now)
        case .failure(let failure):
            storeFailure = failure
            failed(reason, now)
        }
    }

    private mutating func handle(_ answer: StoreAnswer, _ reason: Pending, _ now: MediaTime) {
        switch (reason, answer) {
        case (.register(let sent), .registered(let identity, let records)):
            registered(identity, records, sent: sent, now: now)
        case (.beat(let sent), .beaten(let records)): beaten(records, sent: sent, now: now)
        case (.beat, .beatRefused(let isReplaced)): beatRefused(isReplaced: isReplaced, now: now)
        case (.claim(let key, let interruptions), .placed(let placement)):
            claimed(key, placement, interruptions: interruptions, now: now)
        case (.takeOver(let key, let id, let interruptions), .found(let placement)):
            tookOver(key, id, placement, interruptions: interruptions, now: now)
        case (.claim, .beatRefused), (.takeOver, .beatRefused), (.reclaim, .beatRefused):
            failed(reason, now)
            // The heartbeat tells the reason.
            beatAtOnce(now)
        case (.reclaim(let key, let home), .placed(let placement)): reclaimed(key, placement, as: home, now: now)
        case (.held(let interruptions), .held(let placements)):
            verified(placements, interruptions: interruptions, now: now)
        case (.end(let key, let id, let term), .ended): endedInStore(key, id, term: term, now: now)
        case (.find(let id), .found(let placement)): found(id, placement, now: now)
        case (.lookup(let key), .found(let placement)): lookedUp(key, placement, now: now)
        case (.choose(let key), .found(let placement)): chosen(key, placement, now: now)
        case (.leave, .left): break
        // A store that gives another answer has not done what was asked.
        default: failed(reason, now)
        }
    }

    private mutating func failed(_ reason: Pending, _ now: MediaTime) {
        switch reason {
        case .register, .beat: beatFailed(now: now)
        case .claim(let key, _), .takeOver(let key, _, _): claimFailed(key)
        case .end(let key, let id, let term): endFailed(key, id, term: term)
        case .find(let id): findFailed(id)
        case .lookup(let key): lookUpFailed(key)
        case .choose(let key): chooseFailed(key)
        case .reclaim(let key, let home): if home == identity { repeats.insert(key) }
        // The sessions stay unverified, and the next heartbeat asks again.
        case .held, .leave: break
        }
    }
}
