import Cluster
package import MediaBase

/// Faults that follow from the seed.
extension VirtualCluster {
    /// Time after a loss of data in which all relays register again.
    private static let recoveryTime = MediaTime.seconds(7)

    /// Lets time pass with faults. At its end all have ended, and all relays run.
    package func runWithFaults(for time: MediaTime) {
        let end = now + time
        var departed: Set<Int> = []
        /// Times before which a relay's path to the store, and the store of all relays, get no new fault.
        var rests = relays.map { _ in MediaTime.zero }, rest = MediaTime.zero
        while now < end, fault == nil {
            run(for: min(duration(200, 5_000), end - now))
            let relay = random.below(relays.count), other = random.below(relays.count)
            let fault = random.below(12)
            // A relay that starts after a loss of data, before another one has its row again, cannot know of that one (`Tenure`).
            guard now - lost >= Self.recoveryTime || [7, 8].contains(fault) else { continue }
            switch fault {
            case 0...1:
                guard relays[relay].isRunning, !departed.contains(relay) else { break }
                if relays[relay].stalledUntil <= now { kill(relay) }
                if !relays[relay].isRunning { restart(relay, after: duration(200, 20_000)) }
            case 2:
                if relays[relay].isRunning, relays[relay].stalledUntil <= now {
                    stall(relay, for: duration(100, 15_000))
                }
            case 3...4:
                guard rests[relay] <= now, rest <= now, now - started > .seconds(3) else { break }
                rests[relay] = breakStore(relay, for: duration(500, 15_000))
            case 5:
                guard rest <= now, now - started > .seconds(3) else { break }
                let time = duration(500, 20_000), isForSome = random.below(3) == 0
                for relay in relays.indices where rests[relay] <= now && (!isForSome || random.below(2) == 0) {
                    rests[relay] = breakStore(relay, for: time + duration(0, 3_000))
                    rest = max(rest, rests[relay])
                }
            case 6:
                if relays.allSatisfy({ $0.isRunning && $0.member.identity != nil && $0.store == .open }),
                    relays.allSatisfy({ !$0.isReplaced && $0.stalledUntil <= now }), departed.isEmpty
                {
                    loseData()
                }
            case 7, 8:
                guard relay != other else { break }
                cuts.insert([min(relay, other), max(relay, other)])
                events.add(.join(min(relay, other), max(relay, other)), at: now + duration(500, 20_000))
            case 9:
                // Its id is unknown to the others afterwards, so that it returns only after the faults.
                guard departed.count + 2 < relays.count, relays[relay].stalledUntil <= now else { break }
                departed.insert(relay)
                leave(relay)
                events.add(.kill(relay: relay, process: relays[relay].process), at: now + .seconds(1))
            case 10: if relays[relay].isRunning { setDraining(relay, random.below(2) == 0) }
            default:
                guard relays[relay].isRunning, !relays[relay].isReplaced, relays[relay].stalledUntil <= now else {
                    break
                }
                guard relays[relay].member.identity != nil else { break }
                replace(relay)
                events.add(.kill(relay: relay, process: relays[relay].process), at: now + .seconds(6))
                restart(relay, after: duration(6_200, 12_000))
            }
        }
        endFaults()
    }

    /// Breaks a relay's path to the store. Returns the time before which it gets no new fault.
    private func breakStore(_ relay: Int, for time: MediaTime) -> MediaTime {
        relays[relay].store = [.refused, .lost, .answersLost][random.below(3)]
        events.add(.repair(relay: relay), at: now + time)
        return now + time + .seconds(5)
    }

    private func endFaults() {
        cuts = []
        unreliability = 0
        for relay in relays.indices {
            relays[relay].store = .open
            if relays[relay].isReplaced || relays[relay].member.identity == nil { kill(relay) }
            if relays[relay].isRunning {
                setDraining(relay, false)
            } else {
                restart(relay, after: duration(200, 2_000))
            }
        }
    }
}
