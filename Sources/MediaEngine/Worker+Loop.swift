import MediaBase
import Transport

/// Timers of a worker, and what its driver calls in each turn.
extension Worker {
    /// Runs everything that is due.
    func act() {
        egress.forwardDue()
        allocateSlowed()
        let now = time()
        #if DEBUG
            faults.trapWhenDue(sessions, &counters, now: now)
        #endif
        if now >= measuredLoad.nextSample { followLoad(now) }
        egress.catchUp(now)
        allocateSlowed()
        if now >= inbound.nextRequests { sendRequests(now) }
        if now >= peers.nextSweep { lookAfterPeers(now) }
        if now >= plain.feedback.next { acknowledgePipes(now) }
        if now >= allocator.nextProbe { sendProbes(now) }
        if now >= housekeepingSchedule.next { housekeeping(now) }
        for address in sockets?.takeEndedConnections(now: now) ?? [] { disconnected(address, now: now) }
    }

    /// Measures the load, adapts the time for which packets are gathered, and publishes the load for the placement of sessions.
    private func followLoad(_ now: MediaTime) {
        measuredLoad.sample(cpu: clock.threadTime, now: now)
        let load = measuredLoad.useOfLastSecond(now: now)
        gathering.follow(load: load)
        placement.loads[index].publish(Int(load * 1000), at: now)
    }

    /// Returns the time at which `act` is due next.
    func nextDeadline() -> MediaTime {
        var deadline = min(
            min(housekeepingSchedule.next, allocator.nextProbe), min(inbound.nextRequests, peers.nextSweep))
        deadline = min(deadline, min(egress.deadline, plain.feedback.next))
        if let due = sockets?.tcp?.deadline { deadline = min(deadline, due) }
        #if DEBUG
            deadline = min(deadline, faults.due)
        #endif
        return deadline
    }
}
