package import MediaBase
package import RTP

extension BandwidthEstimator {
    /// Packets that one observation of loss is made of, at least, and how long it takes, microseconds.
    private static let observedAtLeast = 20
    private static let observedFor: UInt32 = 250_000
    /// How long after a probe the delay still shows it, and the longest queue that it can have made, microseconds.
    private static let probeEcho = MediaTime.milliseconds(400)
    private static let probeQueue: Int64 = 150_000
    /// A queue of this length, beyond jitter, is one, and for how long what is lost may have been lost there, microseconds.
    private static let noticeable: Int64 = 8_000
    private static let delayEcho = MediaTime.seconds(1)
    /// A queue that grows like this from feedback to feedback, microseconds, on a path that takes this part of what is sent.
    private static let queueBefore: Int64 = 20_000
    private static let queueNow: Int64 = 50_000
    private static let queueGrowth: Int64 = 8_000
    private static let narrower = 0.8
    /// Packets that one report block stands for: it comes about once a second. And those of one observation at most.
    private static let packetsPerReport = 50
    private static let reportedPacketsAtMost = 1 << 20
    /// Feedback is part of the round trip that it shows.
    private static let longestRoundTrip = MediaTime.seconds(10)

    /// Takes transport-wide feedback.
    /// - Parameter sent: what was sent on this transport.
    package func receive(_ feedback: TransportCC, sent: UnsafePointer<SentPacketRing>, now: MediaTime) {
        hasFeedback = true
        lastWord = now
        sentAtLastWord = sent.pointee.next
        var latest: Int64?
        history.receive(feedback, sent: sent, now: now) {
            restartArrivals()
        } untold: { bytes, time in
            // Most likely they came like the others; not counted, they would look like a path that got narrower.
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

    /// Takes what the peer reports of single streams (RFC 3550 section 6.4).
    /// - Parameters:
    ///   - reports: blocks that came together.
    ///   - roundTrip: what they show of it; nil: nothing.
    package func receive(reports: [ReportBlock], roundTrip: MediaTime?, now: MediaTime) {
        if let roundTrip { noteRoundTrip(roundTrip, weight: 4) }
        guard !reports.isEmpty, !hasFeedback else { return }
        lastWord = now
        // Without feedback on single packets a report stands for so many; it comes about once a second.
        guard !reportsCountUnsent(now: now) else { return settle(now: now) }
        let packets = Self.packetsPerReport
        reportedPackets = min(reportedPackets + packets * reports.count, Self.reportedPacketsAtMost)
        reportedLost = min(
            reportedLost + reports.reduce(0) { $0 + Int($1.fractionLost) } * packets / 256, reportedPackets)
        observeReports(now: now)
        settle(now: now)
    }

    /// Observes the loss of the reports that came since the last time. Audio and video may be reported a moment apart: they are one observation.
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
        // A probe that was too much lost packets itself, which says nothing of what is sent without it. Nor do losses of before a limit
        // was shown of what is sent since.
        guard share > LossModel.hopeless || !reported.isProbed(now: now) && !reported.isSettling(now: now) else {
            return
        }
        if isHeld, share - lossModel.explained > LossModel.grave {
            // A path that is known to be narrow needs no trial.
            lossModel.fill(with: sendingRate, loss: share)
        } else {
            lossModel.observe(packets: packets, lost: lost, rate: sendingRate, target: Double(target.rawValue))
        }
        guard lossModel.isFilled else { return }
        reported.show(at: sendingRate, now: now)
        probes.targetFell(now: now)
    }

    /// Sending rate by the owner's word, bits a second; the target if the owner gave none.
    var sendingRate: Double { Double((used > .kilobits(0) ? used : target).rawValue) }

    /// A probe of this rate passed, by what the peer says.
    private func pass(_ rate: Double, now: MediaTime) {
        lossModel.raise(to: rate)
        probes.pass(now: now)
    }

    /// Takes what the peer says that it can receive (draft-alvestrand-rmcat-remb-03).
    package func receive(remb bitrate: Bitrate, now: MediaTime) {
        lastWord = now
        let shown = reported.shownAt
        let passed = reported.receive(
            remb: Double(max(bitrate.rawValue, 0)), sending: sendingRate, roundTrip: roundTrip, now: now)
        if let passed { pass(passed, now: now) }
        if reported.shownAt != shown { probes.targetFell(now: now) }
        settle(now: now)
    }

    /// While a queue grows, what arrives is what the path takes. Where that is less than what is sent, nothing more has to be waited for: the
    /// trend would see it some hundred milliseconds later, and they fill the queue.
    /// - Returns: whether the rate was lowered for it.
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

    /// Forgets arrivals by a clock that the peer has left: a difference of times on two clocks is no delay.
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
        // A full path is measured roughly; near what is known already the delay is the better guide.
        let needed = control.rate * (result.isSaturated ? 1.1 : 1)
        guard result.bitsPerSecond > needed || (probes.isFirst && result.isSaturated) else { return }
        if result.bitsPerSecond < control.rate { drain(from: now) }
        control.set(result.bitsPerSecond)
        lossModel.raise(to: result.bitsPerSecond)
    }

    private func adjust(isProbed: Bool, now: MediaTime) {
        guard !isProbed else { return }
        var usage = trend.usage
        // A probe makes a short queue of its own.
        if usage == .overuse, let probedAt, now - probedAt < Self.probeEcho, queue.current < Self.probeQueue {
            usage = .normal
        }
        // What is lost whatever is sent was sent, and took its part of the path.
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
