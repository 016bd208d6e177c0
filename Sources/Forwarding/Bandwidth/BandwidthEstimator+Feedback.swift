package import MediaBase
package import RTP

extension BandwidthEstimator {
    /// Minimum number of packets of one loss observation; `observedFor` is its minimum duration in microseconds.
    private static let observedAtLeast = 20
    private static let observedFor: UInt32 = 250_000
    /// Time after a probe in which the delay may be caused by it; `probeQueue` is the longest queue that a probe causes, in microseconds.
    private static let probeEcho = MediaTime.milliseconds(400)
    private static let probeQueue: Int64 = 150_000
    /// Minimum queuing delay beyond jitter that counts as a queue, in microseconds. Losses within `delayEcho` after it are attributed to
    /// the queue.
    private static let noticeable: Int64 = 8_000
    private static let delayEcho = MediaTime.seconds(1)
    /// Thresholds for a path whose capacity fell: queuing delay at the previous and at the current feedback, and its growth, in
    /// microseconds; `narrower` is the fraction of the sending rate that arrives.
    private static let queueBefore: Int64 = 20_000
    private static let queueNow: Int64 = 50_000
    private static let queueGrowth: Int64 = 8_000
    private static let narrower = 0.8
    /// Assumed number of packets per report block, which arrives about once a second; `reportedPacketsAtMost` limits one observation.
    private static let packetsPerReport = 50
    private static let reportedPacketsAtMost = 1 << 20
    /// Limit for round trip samples. They include the delay of the feedback itself.
    private static let longestRoundTrip = MediaTime.seconds(10)

    /// Handles transport-wide feedback.
    /// - Parameter sent: packets sent on this transport.
    package func receive(_ feedback: TransportCC, sent: UnsafePointer<SentPacketRing>, now: MediaTime) {
        resume(now: now)
        hasFeedback = true
        lastWord = now
        sentAtLastWord = sent.pointee.next
        var latest: Int64?
        history.receive(feedback, sent: sent, now: now) {
            restartArrivals()
        } untold: { bytes, time in
            // These packets most likely arrived. Without counting them, the path would seem to have become narrower.
            if let delay = queue.latestDelay { acknowledged.add(bytes: bytes, arrival: time + delay) }
        } _: { packet in
            acknowledged.add(bytes: packet.bytes, arrival: packet.arrival)
            queue.add(packet)
            if packet.probe != 0 { probes.note(packet) }
            if let delta = groups.add(packet) { trend.add(delta) }
            latest = max(latest ?? packet.sent, packet.sent)
        }
        guard let latest else { return observeLoss(sent: sent) }
        queue.settle()
        if queue.current > Self.noticeable + Int64(min(trend.jitter, 20) * 500) { lastDelayed = now }
        isDelayed = lastDelayed.map { now - $0 < Self.delayEcho } ?? false
        if groups.wasCut {
            groups.wasCut = false
            trend.reset()
        }
        noteRoundTrip(now - .microseconds(latest), weight: 8)
        sending.update(bytes: sent.pointee.bytes, target: Double(capacity.rawValue), now: now)
        observeLoss(sent: sent)
        if trend.usage == .overuse { lastOveruse = now }
        if narrow(now: now) { return settle(now: now) }
        let result = probes.result(wanted: Double(wanted.rawValue))
        if let result { use(result, now: now) }
        adjust(isProbed: result != nil, now: now)
        settle(now: now)
    }

    /// Handles the peer's receiver reports (RFC 3550 section 6.4).
    /// - Parameters:
    ///   - reports: report blocks that arrived together.
    ///   - roundTrip: round trip time measured from them, if any.
    package func receive(reports: [ReportBlock], roundTrip: MediaTime?, now: MediaTime) {
        if let roundTrip { noteRoundTrip(roundTrip, weight: 4) }
        guard !reports.isEmpty, !hasFeedback else { return }
        lastWord = now
        // Without feedback on individual packets, a report block counts as `packetsPerReport` packets.
        guard !reportsCountUnsent(now: now) else { return settle(now: now) }
        let packets = Self.packetsPerReport
        reportedPackets = min(reportedPackets + packets * reports.count, Self.reportedPacketsAtMost)
        reportedLost = min(
            reportedLost + reports.reduce(0) { $0 + Int($1.fractionLost) } * packets / 256, reportedPackets)
        observeReports(now: now)
        settle(now: now)
    }

    /// Observes the loss in the reports since the last call. Audio and video may be reported a moment apart and form one observation.
    func observeReports(now: MediaTime) {
        guard reportedPackets > 0, lastRemoteLoss.map({ now - $0 > .milliseconds(300) }) ?? true else { return }
        lastRemoteLoss = now
        let (packets, lost) = (reportedPackets, reportedLost)
        reportedPackets = 0
        reportedLost = 0
        let share = Double(lost) / Double(packets)
        if let rate = reported.receive(loss: share - lossModel.explained, roundTrip: roundTrip, now: now) {
            pass(rate, now: now)
        }
        // A failed probe loses packets itself, which says nothing about the rate without it. Likewise, losses from before a limit was shown
        // say nothing about the rate since then.
        guard share > LossModel.hopeless || !reported.isProbed(now: now) && !reported.isSettling(now: now) else {
            return
        }
        if isHeld, share - lossModel.explained > LossModel.grave {
            // A path with a known limit needs no trial.
            lossModel.fill(with: sendingRate, loss: share)
        } else {
            lossModel.observe(packets: packets, lost: lost, rate: sendingRate, target: Double(target.rawValue))
        }
        guard lossModel.isFilled else { return }
        reported.show(at: sendingRate, now: now)
        probes.targetFell(now: now)
    }

    /// Sending rate as set by the owner, in bits per second; the target if the owner set none.
    var sendingRate: Double { Double((used > .kilobits(0) ? used : target).rawValue) }

    /// Handles a probe of this rate that passed according to REMB or reports.
    private func pass(_ rate: Double, now: MediaTime) {
        lossModel.raise(to: rate)
        probes.pass(now: now)
    }

    /// Handles REMB, the rate that the peer can receive (draft-alvestrand-rmcat-remb-03).
    package func receive(remb bitrate: Bitrate, now: MediaTime) {
        lastWord = now
        let shown = reported.shownAt
        let passed = reported.receive(
            remb: Double(max(bitrate.rawValue, 0)), sending: sendingRate, roundTrip: roundTrip, now: now)
        if let passed { pass(passed, now: now) }
        if reported.shownAt != shown { probes.targetFell(now: now) }
        settle(now: now)
    }

    /// Lowers the rate if the capacity of the path fell. While a queue grows, the rate of arrivals is the capacity of the path. If it is
    /// clearly below the sending rate, the rate is lowered at once: the delay trend would detect it some hundred milliseconds later, and
    /// the queue would fill until then.
    /// - Returns: true if the rate was lowered.
    private func narrow(now: MediaTime) -> Bool {
        guard queue.before > Self.queueBefore, queue.current > Self.queueNow,
            queue.current - queue.before > Self.queueGrowth, let arrived = queue.bitsPerSecond,
            arrived < Self.narrower * min(sending.bitsPerSecond, control.rate),
            !(probedAt.map { now - $0 < Self.probeEcho } ?? false) || queue.current > Self.probeQueue
        else { return false }
        guard control.narrow(to: arrived, now: now) else { return false }
        isNarrowed = true
        lastOveruse = now
        probes.targetFell(now: now)
        drain(from: now)
        return true
    }

    /// Discards arrival times of the peer's previous clock: a difference between times of two clocks is not a delay.
    private func restartArrivals() {
        acknowledged = AcknowledgedRate()
        queue.restart()
        groups.restart()
    }

    private func drain(from now: MediaTime) {
        guard drainFrom == nil else { return }
        drainFrom = now
        shortestDrained = .max
    }

    private func noteRoundTrip(_ sample: MediaTime, weight: Int64) {
        guard sample > .zero, sample < Self.longestRoundTrip else { return }
        roundTrip = roundTrip.map { MediaTime(rawValue: $0.rawValue + (sample - $0).rawValue / weight) } ?? sample
    }

    private func observeLoss(sent: UnsafePointer<SentPacketRing>) {
        history.forEachDecided(sent: sent) { bytes, time, isLost in
            if observedPackets == 0 { observedFrom = time }
            observedPackets += 1
            if isLost { observedLost += 1 }
            let span = time &- observedFrom
            if observedPackets > Self.observedAtLeast, span >= Self.observedFor, span < .max / 2 {
                lossModel.observe(
                    packets: observedPackets, lost: observedLost, rate: Double(observedBytes) * 8e6 / Double(span),
                    target: Double(target.rawValue), isDelayed: isDelayed || !sending.isApplicationLimited)
                observedPackets = 0
                observedLost = 0
                observedBytes = 0
            } else {
                observedBytes += bytes
            }
        }
    }

    private func use(_ result: ProbeMeasurement.Result, now: MediaTime) {
        probedAt = now
        // The measurement of a full path is imprecise. Near the known rate the delay is more reliable.
        let needed = control.rate * (result.isSaturated ? 1.1 : 1)
        guard result.bitsPerSecond > needed || (probes.isFirst && result.isSaturated) else { return }
        if result.bitsPerSecond < control.rate { drain(from: now) }
        control.set(result.bitsPerSecond)
        lossModel.raise(to: result.bitsPerSecond)
    }

    private func adjust(isProbed: Bool, now: MediaTime) {
        guard !isProbed else { return }
        var usage = trend.usage
        // A probe causes a short queue itself.
        if usage == .overuse, let probedAt, now - probedAt < Self.probeEcho, queue.current < Self.probeQueue {
            usage = .normal
        }
        // Random loss still used link capacity.
        let carried = 1 / (1 - min(lossModel.explained, 0.3))
        let isLowered = control.update(
            RateControl.Observation(
                usage: usage, acknowledged: acknowledged.bitsPerSecond(slots: 10).map { $0 * carried },
                acknowledgedOfLate: acknowledged.bitsPerSecond(slots: 5).map { $0 * carried },
                response: roundTrip ?? .milliseconds(200),
                isApplicationLimited: sending.isApplicationLimited),
            now: now)
        guard isLowered else { return }
        probes.targetFell(now: now)
        drain(from: now)
    }
}
