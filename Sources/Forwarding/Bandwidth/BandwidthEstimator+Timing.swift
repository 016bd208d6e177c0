package import MediaBase

extension BandwidthEstimator {
    static let checkInterval = MediaTime.milliseconds(250)
    /// Interval of checks while nothing is sent.
    private static let restInterval = MediaTime.seconds(5)
    /// Factor on the target for each second without reports or feedback, while packets are being sent.
    private static let silence = 0.7
    private static let silentFor = MediaTime.milliseconds(1_500)
    /// Replaces `silentFor` for a peer that sends only receiver reports, which arrive every few seconds.
    private static let silentForReports = MediaTime.seconds(8)
    /// Time for which REMB limits the target if the peer sends transport-wide feedback as well.
    private static let rembLifetime = MediaTime.seconds(10)
    /// Time after overuse without probes. Longer if the sender follows the estimate and uses all of it: growth then finds the free
    /// capacity, and a burst would take capacity from other flows. A sender whose least rate exceeds the estimate does not follow it: it
    /// fills a path that is hardly wide enough again and again, and growth would find a path that has become wide too late.
    private static let calm = MediaTime.seconds(2)
    private static let calmWhenFull = MediaTime.seconds(6)
    /// Longest queue that counts as drained, in microseconds.
    private static let shortQueue: Int64 = 30_000
    /// Maximum time for which the queue may fail to shrink. Packets that were sent already take this long to arrive.
    private static let drainAtMost = MediaTime.seconds(2)
    /// Decrease of the queue that counts as progress, in microseconds.
    private static let drainProgress: Int64 = 10_000
    private static let drainLeast = 0.5

    /// Time at which to call `handleTimeout(sent:now:)`.
    package var deadline: MediaTime { nextCheck }

    /// Handles elapsed time.
    /// - Parameter sent: packets sent on this transport; nil without transport-wide numbers.
    package func handleTimeout(sent: UnsafePointer<SentPacketRing>?, now: MediaTime) {
        guard now >= nextCheck else { return }
        // Packets sent during a rest have not been unanswered for longer than one interval, as far as is known.
        if isResting { lastWord = max(lastWord, now - Self.checkInterval) }
        isResting = isIdle(sent)
        nextCheck = now + (isResting ? Self.restInterval : Self.checkInterval)
        sentAtCheck = sent?.pointee.next ?? 0
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

    /// Returns whether nothing was sent since the last check and nothing shall be, so that there is nothing to learn about the path.
    private func isIdle(_ sent: UnsafePointer<SentPacketRing>?) -> Bool {
        sent?.pointee.next ?? 0 == sentAtCheck && wanted.rawValue == 0 && used.rawValue == 0 && drainFrom == nil
            && !isRefused
    }

    /// Ends a rest, because packets are sent again: the next check is due at once.
    package func resume(now: MediaTime) {
        guard isResting else { return }
        isResting = false
        lastWord = now
        nextCheck = now
    }

    /// Returns false if `takeProbe(now:)` would certainly return nil. Cheap to call.
    package func mayProbe(now: MediaTime) -> Bool { probes.mayTake(target: target, wanted: wanted, now: now) }

    /// Returns a probe to send now. Call this after feedback and after `handleTimeout(sent:now:)`; the caller sends the probe at once, at
    /// its rate.
    package func takeProbe(now: MediaTime) -> Probe? {
        guard configuration.hasTransportFeedback else { return takeUnmeasuredProbe(now: now) }
        let isFollowing = !sending.isApplicationLimited && used <= target
        let calm = isFollowing ? Self.calmWhenFull : Self.calm
        let isCalm = trend.usage != .overuse && (lastOveruse.map { now - $0 > calm } ?? true)
        let probe = probes.take(
            target: Double(target.rawValue), wanted: Double(wanted.rawValue), isCalm: isCalm, jitter: trend.jitter,
            now: now)
        if probe != nil { probedAt = now }
        return probe
    }

    private func takeUnmeasuredProbe(now: MediaTime) -> Probe? {
        guard reported.isCalm(now: now), !reported.isUnanswered else { return nil }
        let taken = probes.takeUnmeasured(
            target: Double(target.rawValue), wanted: Double(wanted.rawValue), used: Double(used.rawValue),
            allowed: reported.remb, isHeld: isHeld, now: now)
        guard let taken else { return nil }
        reported.begin(rate: taken.rate, for: taken.probe.duration, now: now)
        return taken.probe
    }

    /// Computes the target from all that is known.
    func settle(now: MediaTime) {
        let least = Double(configuration.minimum.rawValue)
        var rate = control.rate
        // Without feedback, REMB and reports are the only information. With feedback, REMB is only an upper bound that expires.
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
            // The queue belongs to another flow, or the path has become longer.
            self.drainFrom = nil
            isNarrowed = false
            queue.rebase()
            return 1
        }
        return max(Self.drainLeast, 1 - Double(queue.current - Self.shortQueue) / 400_000)
    }
}
