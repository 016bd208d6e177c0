package import MediaBase

/// Packets that this host could not send: the beginning of the path is full, which needs no feedback to be known.
extension BandwidthEstimator {
    /// Factor of the rate after a drop. At most one decrease in `unsentSpacing`: one frame can be dropped in many pieces.
    private static let unsentBackOff = 0.85
    private static let unsentSpacing = MediaTime.milliseconds(200)
    /// The acknowledged rate may be that of a sender that sends little; the rate is not lowered beyond this factor at once.
    private static let unsentFloor = 0.5
    /// Time for which a drop makes the path full.
    private static let unsentEcho = MediaTime.seconds(1)
    /// Time in which receiver reports still count the numbers of unsent packets as lost.
    private static let unsentInReports = MediaTime.seconds(2)

    /// Counts packets that could not be sent as lost to congestion. They have to be withdrawn from the packets that were sent before
    /// (`SentPacketRing.withdraw`), so that feedback does not count them once more.
    package func receive(unsent packets: Int, now: MediaTime) {
        guard packets > 0 else { return }
        lastUnsent = now
        isRefused = true
        if hasFeedback {
            if observedPackets == 0 { observedFrom = UInt32(truncatingIfNeeded: now.rawValue / 1_000) }
            // Bounded: a path that takes nothing drops packets while no feedback closes the observation.
            observedPackets = min(observedPackets + packets, 1 << 20)
            observedLost = min(observedLost + packets, 1 << 20)
        }
        guard lastUnsentDecrease.map({ now - $0 >= Self.unsentSpacing }) ?? true else { return }
        lastUnsentDecrease = now
        lastOveruse = now
        let arrived = max(acknowledged.bitsPerSecond(slots: 10) ?? control.rate, control.rate * Self.unsentFloor)
        _ = control.narrow(to: min(arrived, control.rate), now: now)
        reported.lower(by: Self.unsentBackOff)
        probes.targetFell(now: now)
        settle(now: now)
    }

    /// Ends the time for which a drop makes the path full.
    func forgetUnsent(now: MediaTime) {
        if let lastUnsent, now - lastUnsent > Self.unsentEcho { isRefused = false }
    }

    /// Receiver reports of this time count the numbers of unsent packets, which this host knows about already.
    func reportsCountUnsent(now: MediaTime) -> Bool {
        lastUnsent.map { now - $0 < Self.unsentInReports } ?? false
    }
}
