package import MediaBase

/// Packets that this host could not send: the first hop of the path is full, which is known without feedback.
extension BandwidthEstimator {
    /// Factor of the rate after a drop. At most one decrease in `unsentSpacing`: one frame can be dropped in many pieces.
    private static let unsentBackOff = 0.85
    private static let unsentSpacing = MediaTime.milliseconds(200)
    /// The acknowledged rate is low if the sender sends little. One decrease lowers the rate by at most this factor.
    private static let unsentFloor = 0.5
    /// Time after a drop in which the path counts as full.
    private static let unsentEcho = MediaTime.seconds(1)
    /// Time in which receiver reports still count the numbers of unsent packets as lost.
    private static let unsentInReports = MediaTime.seconds(2)

    /// Counts packets that could not be sent as lost to congestion. The caller must first withdraw them from the sent packets
    /// (`SentPacketRing.withdraw`), so that feedback does not count them again.
    package func receive(unsent packets: Int, now: MediaTime) {
        guard packets > 0 else { return }
        lastUnsent = now
        isRefused = true
        if hasFeedback {
            if observedPackets == 0 { observedFrom = UInt32(truncatingIfNeeded: now.rawValue / 1_000) }
            // Bounded, since a path that carries nothing drops packets while no feedback ends the observation.
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

    /// Stops treating the path as full if the last drop is older than `unsentEcho`.
    func forgetUnsent(now: MediaTime) {
        if let lastUnsent, now - lastUnsent > Self.unsentEcho { isRefused = false }
    }

    /// Returns true if receiver reports may still count unsent packets as lost, which this host has counted already.
    func reportsCountUnsent(now: MediaTime) -> Bool {
        lastUnsent.map { now - $0 < Self.unsentInReports } ?? false
    }
}
