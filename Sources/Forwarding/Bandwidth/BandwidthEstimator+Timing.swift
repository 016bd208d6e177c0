package import MediaBase

extension BandwidthEstimator {
    static let checkInterval = MediaTime.milliseconds(250)
    /// Without a word from the peer, while packets are sent to it, the target falls by this factor each time.
    private static let silence = 0.7
    private static let silentFor = MediaTime.milliseconds(1_500)
    /// Where the peer sends only reports: those come every few seconds.
    private static let silentForReports = MediaTime.seconds(8)
    /// What a peer allowed that sends feedback too counts for so long.
    private static let rembLifetime = MediaTime.seconds(10)
    /// After over-use the path is left alone; longer where the sender fills it, because then growth finds what there is, and a burst
    /// takes more than its share from others.
    private static let calm = MediaTime.seconds(2)
    private static let calmWhenFull = MediaTime.seconds(6)
    /// A queue of this length is none, microseconds.
    private static let shortQueue: Int64 = 30_000
    /// For so long a queue may stay as it is, or grow: what has been sent already takes its time.
    private static let drainAtMost = MediaTime.seconds(2)
    /// Microseconds.
    private static let drainProgress: Int64 = 10_000
    private static let drainLeast = 0.5

    /// When to call `handleTimeout(sent:now:)`.
    package var deadline: MediaTime { nextCheck }

    /// - Parameter sent: what was sent on this transport; nil without transport-wide numbers.
    package func handleTimeout(sent: UnsafePointer<SentPacketRing>?, now: MediaTime) {
        guard now >= nextCheck else { return }
        nextCheck = now + Self.checkInterval
        probes.expire(now: now)
        forgetUnsent(now: now)
        if let sent {
            sending.update(bytes: sent.pointee.bytes, target: Double(capacity.rawValue), now: now)
            if sent.pointee.next == sentAtLastWord { lastWord = now }
        }
        let patience = hasFeedback ? Self.silentFor : Self.silentForReports
        if now - lastWord > patience + (roundTrip ?? .zero), hasFeedback || reported.remb != nil {
            lastWord = lastWord + .seconds(1)
            control.set(control.rate * Self.silence)
            reported.lower(by: Self.silence)
            probes.targetFell(now: now)
        }
        if !hasFeedback {
            observeReports(now: now)
            let shown = reported.shownAt
            let retried = reported.handleTimeout(sending: sendingRate, canProbe: canProbe, now: now)
            if let retried { lossModel.raise(to: retried) }
            if reported.shownAt != shown { probes.targetFell(now: now) }
        }
        settle(now: now)
    }

    /// False where `takeProbe(now:)` has none, told from a glance.
    package func mayProbe(now: MediaTime) -> Bool { probes.mayTake(target: target, wanted: wanted, now: now) }

    /// A probe to send now; to be asked for after feedback and after `handleTimeout(sent:now:)`. The owner sends it at once, at its rate.
    package func takeProbe(now: MediaTime) -> Probe? {
        guard configuration.hasTransportFeedback else { return takeUnmeasuredProbe(now: now) }
        let calm = sending.isApplicationLimited ? Self.calm : Self.calmWhenFull
        let isCalm = trend.usage != .overuse && (lastOveruse.map { now - $0 > calm } ?? true)
        let probe = probes.take(
            target: Double(target.rawValue), wanted: Double(wanted.rawValue), isCalm: isCalm, jitter: trend.jitter,
            now: now)
        if probe != nil { probedAt = now }
        return probe
    }

    private func takeUnmeasuredProbe(now: MediaTime) -> Probe? {
        guard reported.isCalm(now: now) else { return nil }
        let taken = probes.takeUnmeasured(
            target: Double(target.rawValue), wanted: Double(wanted.rawValue), used: Double(used.rawValue),
            allowed: reported.remb, isHeld: isHeld, now: now)
        guard let taken else { return nil }
        reported.begin(rate: taken.rate, for: taken.probe.duration, now: now)
        return taken.probe
    }

    /// Makes the target of what is known.
    func settle(now: MediaTime) {
        let least = Double(configuration.minimum.rawValue)
        var rate = control.rate
        // Without feedback the peer's word is all there is; with it, it is only a bound, and gets old.
        if !hasFeedback {
            rate = reported.rate(unknown: rate) ?? rate
        } else if let remb = reported.remb, now - reported.rembAt < Self.rembLifetime {
            rate = min(rate, remb)
        }
        if let bound = lossModel.bound { rate = min(rate, bound) }
        rate = min(max(rate, least), Double(configuration.maximum.rawValue))
        capacity = Bitrate(saturating: rate)
        if !hasFeedback { reported.reach(rate) }
        target = Bitrate(saturating: max(rate * drainFactor(now: now), least))
    }

    private func drainFactor(now: MediaTime) -> Double {
        guard let drainFrom else { return 1 }
        if queue.current < Self.shortQueue {
            self.drainFrom = nil
            isNarrowed = false
            return 1
        }
        if queue.current < shortestDrained - Self.drainProgress {
            shortestDrained = queue.current
            self.drainFrom = now
        } else if now - drainFrom > Self.drainAtMost {
            // The queue is not ours, or the path is longer than it was.
            self.drainFrom = nil
            isNarrowed = false
            queue.rebase()
            return 1
        }
        return max(Self.drainLeast, 1 - Double(queue.current - Self.shortQueue) / 400_000)
    }
}
