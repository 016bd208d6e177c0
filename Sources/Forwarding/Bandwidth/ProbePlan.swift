import MediaBase

/// Schedules probes and their rates: two at the start; then, while the wanted rate exceeds the target, every few seconds at twice the
/// target, and again at once after a probe that passed.
struct ProbePlan {
    private static let firstFactors = [3.0, 6.0]
    private static let laterFactor = 2.0
    /// Fraction of its rate that a probe must reach for the next one to follow at once.
    private static let success = 0.7
    /// Maximum factor of the wanted rate. A probe measures slightly less than its own rate, and a rate just below the wanted one would be
    /// probed for endlessly.
    private static let ampleness = 1.25
    private static let shortestInterval = MediaTime.seconds(3)
    private static let longestInterval = MediaTime.seconds(5)
    /// Minimum time from a fall of the target, whose cause may be temporary, to the next probe.
    private static let recovery = MediaTime.seconds(1)
    /// Duration of a probe in seconds. If jitter (ms) exceeds the usual jitter of frames, it distorts a burst, so the probe lasts up to
    /// several times as long.
    private static let length = 0.015
    private static let longestLength = 0.06
    private static let usualJitter = 6.0
    private static let packets = 4
    /// Minimum bytes of a probe: `packets` packets of the usual size.
    private static let bytesAtLeast = 4_000.0
    /// Time from taking a probe until its answer is given up.
    private static let patience = MediaTime.seconds(1)

    // For peers without transport-wide feedback: the receiver measures over about a second, and allows one and a half times the received
    // rate.
    private static let unmeasuredLength = 0.4
    private static let longestUnmeasuredLength = 0.8
    /// Factor for the first probe of a series. It is small, because a limited path must hold the excess in its queue.
    private static let unmeasuredFactor = 1.5
    /// Factor after a probe that passed: four probes lead from 50 kb/s to 2 Mb/s.
    private static let unmeasuredSuccessFactor = 3.0
    private static let unmeasuredInterval = MediaTime.seconds(2)
    /// Short enough to detect within 10 s that a path became wider.
    private static let longestHeldInterval = MediaTime.seconds(4)
    private static let longestUnmeasuredInterval = MediaTime.seconds(20)
    private static let leastUnmeasuredRate = 20_000.0

    private var pending: [Double] = []
    private var running: [ProbeMeasurement] = []
    private var runningUntil = MediaTime.zero
    private var lastID: UInt16 = 0
    private var next: MediaTime
    private var interval = Self.shortestInterval
    /// True if the last unmeasured probe passed; nil before the first.
    private var hasPassed: Bool?
    private let maximum: Double
    /// True if the peer acknowledges individual packets, so that probes are measured.
    private let isMeasured: Bool
    /// True while the first probes or their answers are pending. Their results may also lower the rate.
    private(set) var isFirst: Bool

    init(start: Double, maximum: Double, isMeasured: Bool, now: MediaTime) {
        self.maximum = maximum
        self.isMeasured = isMeasured
        isFirst = isMeasured
        interval = isMeasured ? Self.shortestInterval : Self.unmeasuredInterval
        next = now + interval
        if isMeasured { pending = Self.firstFactors.map { min($0 * start, maximum) }.filter { $0 > start } }
    }

    /// Returns whether a probe may be due. Cheap to call.
    func mayTake(target: Bitrate, wanted: Bitrate, now: MediaTime) -> Bool {
        !pending.isEmpty || now >= next && wanted > target
    }

    /// Returns the next probe, if one is due.
    /// - Parameters:
    ///   - isCalm: true if the path shows no queue.
    ///   - jitter: jitter of the path in ms.
    mutating func take(target: Double, wanted: Double, isCalm: Bool, jitter: Double, now: MediaTime) -> Probe? {
        guard running.count < 4 else { return nil }
        if pending.isEmpty {
            guard now >= next, isCalm, wanted > target, running.isEmpty else { return nil }
            next = now + interval
            pending = [min(Self.laterFactor * target, Self.ampleness * wanted, maximum)]
        }
        let rate = pending.removeFirst()
        lastID = lastID == .max ? 1 : lastID + 1
        let length = min(Self.length + max(jitter - Self.usualJitter, 0) * 0.005, Self.longestLength)
        let probe = Probe(
            id: lastID, bitrate: Bitrate(saturating: rate),
            bytes: Int(Int64(saturating: max(rate * length / 8, Self.bytesAtLeast))),
            packets: Self.packets)
        running.append(ProbeMeasurement(probe))
        runningUntil = now + Self.patience + .seconds(length)
        return probe
    }

    mutating func note(_ packet: Acknowledgement) {
        for index in running.indices where running[index].probe.id == packet.probe { running[index].add(packet) }
    }

    /// Returns the highest result of the probes that completed with this feedback.
    mutating func result(wanted: Double) -> ProbeMeasurement.Result? {
        guard !running.isEmpty else { return nil }
        var found: ProbeMeasurement.Result?
        for index in running.indices.reversed() {
            guard let result = running[index].result else { continue }
            let asked = Double(running[index].probe.bitrate.rawValue)
            running.remove(at: index)
            if result.bitsPerSecond > found?.bitsPerSecond ?? 0 { found = result }
            let limit = min(wanted, maximum)
            if !result.isSaturated, result.bitsPerSecond > Self.success * asked, pending.isEmpty,
                result.bitsPerSecond < limit
            {
                pending = [min(Self.laterFactor * result.bitsPerSecond, Self.ampleness * limit, maximum)]
            }
            interval = result.isSaturated ? min(interval + .seconds(1), Self.longestInterval) : Self.shortestInterval
        }
        return found
    }

    /// Removes probes that were not answered.
    mutating func expire(now: MediaTime) {
        guard now >= runningUntil else { return }
        running.removeAll()
        if pending.isEmpty { isFirst = false }
    }

    /// Reschedules probes after the target fell: not at once, but soon.
    mutating func targetFell(now: MediaTime) {
        pending.removeAll()
        isFirst = false
        guard isMeasured else {
            hasPassed = nil
            interval = Self.unmeasuredInterval
            next = now + interval
            return
        }
        interval = Self.shortestInterval
        next = max(min(next, now + Self.longestInterval), now + Self.recovery)
    }

    /// Returns the next probe that only the receiver measures, if one is due. It is sent in addition to the media.
    /// - Parameters:
    ///   - used: bits per second that are sent without it.
    ///   - allowed: REMB. If it is well above the target, it is the rate of the next step: a lower rate cannot raise REMB, and a path that
    ///     drops the excess may keep REMB where it is.
    ///   - isHeld: true if the path showed a limit that may have disappeared.
    /// - Returns: the probe, and the total sending rate during it in bits per second.
    mutating func takeUnmeasured(
        target: Double, wanted: Double, used: Double, allowed: Double?, isHeld: Bool, now: MediaTime
    ) -> (probe: Probe, rate: Double)? {
        guard !isMeasured, now >= next, wanted > target else { return nil }
        if hasPassed == false {
            let longest = isHeld ? Self.longestHeldInterval : Self.longestUnmeasuredInterval
            interval = min(MediaTime(rawValue: interval.rawValue * 2), longest)
        }
        let factor = hasPassed == true ? Self.unmeasuredSuccessFactor : Self.unmeasuredFactor
        hasPassed = false
        next = now + interval
        var rate = min(factor * target, Self.ampleness * wanted, maximum)
        // A step to a REMB that is hardly above the target would pass without showing anything.
        if let allowed, allowed > (target + rate) / 2 { rate = min(rate, allowed) }
        let padding = max(rate - used, Self.leastUnmeasuredRate)
        let length = min(
            max(Self.unmeasuredLength, Self.longestUnmeasuredLength * target / max(rate, 1)),
            Self.longestUnmeasuredLength)
        lastID = lastID == .max ? 1 : lastID + 1
        let probe = Probe(
            id: lastID, bitrate: Bitrate(saturating: padding), bytes: Int(Int64(saturating: padding * length / 8)),
            packets: Self.packets)
        return (probe, max(rate, used))
    }

    /// Records that the last unmeasured probe passed. The next one may follow at once.
    mutating func pass(now: MediaTime) {
        guard !isMeasured else { return }
        hasPassed = true
        interval = Self.unmeasuredInterval
        next = now
    }
}
