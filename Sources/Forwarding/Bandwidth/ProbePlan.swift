import MediaBase

/// When to probe, and at which rate: twice at the start, then, while more is wanted than the target, every few seconds at twice the
/// target, and at once again after a probe that found room.
struct ProbePlan {
    private static let firstFactors = [3.0, 6.0]
    private static let laterFactor = 2.0
    /// Of a probe's rate: one that reached this is followed by the next.
    private static let success = 0.7
    /// Of what is wanted: a probe measures a little less than its own rate, and what is just missed would be probed for without end.
    private static let ampleness = 1.25
    private static let shortestInterval = MediaTime.seconds(3)
    private static let longestInterval = MediaTime.seconds(5)
    /// After the target fell for a reason that may be over.
    private static let recovery = MediaTime.seconds(1)
    /// Seconds. More jitter (ms) than frames make themselves changes a burst by chance, so a probe is to last several times as long.
    private static let length = 0.015
    private static let longestLength = 0.06
    private static let usualJitter = 6.0
    private static let packets = 4
    /// So many packets of the usual size.
    private static let bytesAtLeast = 4_000.0
    /// From taking a probe to giving up on its answer.
    private static let patience = MediaTime.seconds(1)

    // If only the receiver measures, it does so over about a second, and believes one and a half times what comes.
    private static let unmeasuredLength = 0.4
    private static let longestUnmeasuredLength = 0.8
    /// The first probe of a row is small, because a limited path has to hold what is too much of it in its queue.
    private static let unmeasuredFactor = 1.5
    /// After one that passed: four probes lead from 50 kb/s to 2 Mb/s.
    private static let unmeasuredSuccessFactor = 3.0
    private static let unmeasuredInterval = MediaTime.seconds(2)
    /// Short enough that a path that became wide is detected within 10 s.
    private static let longestHeldInterval = MediaTime.seconds(4)
    private static let longestUnmeasuredInterval = MediaTime.seconds(20)
    private static let leastUnmeasuredRate = 20_000.0

    private var pending: [Double] = []
    private var running: [ProbeMeasurement] = []
    private var runningUntil = MediaTime.zero
    private var lastID: UInt16 = 0
    private var next: MediaTime
    private var interval = Self.shortestInterval
    /// The last unmeasured probe passed; nil before the first.
    private var hasPassed: Bool?
    private let maximum: Double
    /// The peer tells of single packets, so that probes are measured.
    private let isMeasured: Bool
    /// The first probes are out, or their answers; what they measure is believed in both directions.
    private(set) var isFirst: Bool

    init(start: Double, maximum: Double, isMeasured: Bool, now: MediaTime) {
        self.maximum = maximum
        self.isMeasured = isMeasured
        isFirst = isMeasured
        interval = isMeasured ? Self.shortestInterval : Self.unmeasuredInterval
        next = now + interval
        if isMeasured { pending = Self.firstFactors.map { min($0 * start, maximum) }.filter { $0 > start } }
    }

    /// Whether there can be a probe to take, from what is cheap to see.
    func mayTake(target: Bitrate, wanted: Bitrate, now: MediaTime) -> Bool {
        !pending.isEmpty || now >= next && wanted > target
    }

    /// The next probe, if one is due.
    /// - Parameters:
    ///   - isCalm: the path shows no queue.
    ///   - jitter: of the path, ms.
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

    /// What the probes of this feedback found; the best of them.
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

    /// Forgets probes that were not answered.
    mutating func expire(now: MediaTime) {
        guard now >= runningUntil else { return }
        running.removeAll()
        if pending.isEmpty { isFirst = false }
    }

    /// The target fell: not now, but soon.
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

    /// The next probe that only the receiver measures, if one is due. It goes on top of what is sent.
    /// - Parameters:
    ///   - used: bits a second that are sent without it.
    ///   - allowed: REMB. If it is well beyond the target it is the next step: less cannot make it rise, and a path that drops what it does
    ///     not carry may keep it where it is.
    ///   - isHeld: the path showed a limit that may be over.
    /// - Returns: the probe, and what is sent while it goes on, bits a second.
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
        // A step to REMB that is hardly larger would pass and show nothing.
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

    /// The last unmeasured probe passed: the next may follow at once.
    mutating func pass(now: MediaTime) {
        guard !isMeasured else { return }
        hasPassed = true
        interval = Self.unmeasuredInterval
        next = now
    }
}
