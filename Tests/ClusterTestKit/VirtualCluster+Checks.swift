package import Cluster
package import Conference
package import MediaBase
import Signaling

/// Invariants of a cluster.
extension VirtualCluster {
    func report(_ text: String) { fault = fault ?? "seed \(seed), \(now): \(text)" }

    /// Checks the invariants that hold at any time.
    func check() {
        var homes: [SessionKey: Int] = [:]
        // The lease of a process is void at once if another one registers under its id.
        for relay in relays.indices
        where relays[relay].member.sessionCount > 0 && !relays[relay].isReplaced && relays[relay].acts(now) {
            for key in names {
                guard let held = relays[relay].member.held(key) else { continue }
                if let home = homes.updateValue(relay, forKey: key) {
                    report("relays \(home) and \(relay) both act for \(key) \(held.id)")
                }
                // After a loss of data, a relay that was cut off before may be the last one that knows a session, under an earlier term.
                if held.term < terms[held.id, default: 0], now - lost > .seconds(40) {
                    report("the term of \(held.id) decreased from \(terms[held.id] ?? 0) to \(held.term)")
                }
                terms[held.id] = held.term
                if ids[held.id, default: key] != key { report("\(held.id) names two sessions") }
                ids[held.id] = key
            }
        }
        for relay in relays.indices
        where !relays[relay].questions.isEmpty && relays[relay].stalledUntil + Self.answerTime < now {
            for question in relays[relay].questions.values where question.asked + Self.answerTime < now {
                report("relay \(relay) has not answered client \(question.client) since \(question.asked)")
            }
        }
    }

    /// Resolves a name at a relay and follows the answer. Returns the home relay; nil if there is none after `attempts`.
    package func home(
        of key: SessionKey, from relay: Int, attempts: Int = 4, interval: MediaTime = .milliseconds(500)
    ) -> RelayIdentity? {
        for _ in 0..<attempts {
            switch probe(key, relay, isProxied: false) {
            case .here: return relays[relay].member.identity
            case .there(let record):
                guard let number = Int(record.identity.id.rawValue.dropFirst()), relays[number].isRunning else { break }
                if case .here = probe(key, number, isProxied: true) { return record.identity }
                change(relay) { member, _ in member.forget(key, at: record.identity) }
            default: break
            }
            run(for: interval)
            guard fault == nil else { return nil }
        }
        return nil
    }

    /// Asks a relay as a client does, and lets time pass until it answers.
    private func probe(_ key: SessionKey, _ relay: Int, isProxied: Bool) -> Resolution? {
        let ticket = newTicket(), id = newID()
        probes[ticket] = .some(nil)
        change(relay) { $0.resolve(key, newID: id, isProxied: isProxied, ticket: ticket, now: $1) }
        let end = now + Self.answerTime
        while probes[ticket] == .some(nil), fault == nil, now < end { run(for: .milliseconds(1)) }
        guard let resolution = probes.removeValue(forKey: ticket) ?? nil else {
            report("relay \(relay) did not answer")
            return nil
        }
        return resolution
    }

    /// Checks that a cluster without faults has recovered: all relays act, and agree on each session's home relay.
    package func checkRecovered() {
        checkState()
        for relay in relays.indices where !relays[relay].acts(now) { report("relay \(relay) does not act") }
        for key in names {
            let homes = relays.indices.map { home(of: key, from: $0) }
            if Set(homes).count != 1 || homes[0] == nil { report("the home relays of \(key) differ: \(homes)") }
        }
    }

    /// Checks that nothing remains of sessions without clients.
    package func checkIdle() {
        let rows = rows()
        if !rows.isEmpty { report("rows remain: \(rows)") }
        for relay in relays.indices {
            if !relays[relay].member.isIdle { report("state remains at relay \(relay): \(relays[relay].member)") }
            if !relays[relay].questions.isEmpty { report("clients wait at relay \(relay)") }
        }
    }
}
