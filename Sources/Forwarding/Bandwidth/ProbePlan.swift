internal import MediaBase

/// When to probe, and at which rate: twice at the start, then, while more is wanted than the target, every few seconds at twice the
/// target, and at once again after a probe that found room.
struct ProbePlan {
    private static let firstFactors = [3.0, 6.0]
    private static let laterFactor = 2.0
    /// Of a probe's rate: one that reached this is followed by the next.
    private static let success = 0.7
    private static let shortestInterval = MediaTime.seconds(3)
    private static let longestInterval = MediaTime.seconds(5)
    /// After the target fell for a reason that may be over.
    private static let recovery = MediaTime.seconds(1)
    static let usualLength = MediaTime.milliseconds(15)
    private static let packets = 5
    /// From taking a probe to giving up on its answer.
    private static let patience = MediaTime.seconds(1)

    private var pending: [Double] = []
    private var running: [ProbeMeasurement] = []
    private var runningUntil = MediaTime.zero
    private var lastID: UInt16 = 0
    private var next: MediaTime
    private var interval = Self.shortestInterval
    private let maximum: Double
    /// The first probes are out, or their answers; what they measure is believed in both directions.
    private(set) var isFirst = true
    /// Length of a probe; longer where only the receiver measures.
    var length = Self.usualLength

    init(start: Double, maximum: Double, now: MediaTime) {
        self.maximum = maximum
        next = now + Self.shortestInterval
        pending = Self.firstFactors.map { min($0 * start, maximum) }.filter { $0 > start }
    }

    /// The next probe, if one is due.
    mutating func take(target: Double, wanted: Double, isCalm: Bool, now: MediaTime) -> Probe? {
        guard running.count < 4 else { return nil }
        if pending.isEmpty {
            guard now >= next, isCalm, wanted > target, running.isEmpty else { return nil }
            next = now + interval
            pending = [min(Self.laterFactor * target, wanted, maximum)]
        }
        let rate = pending.removeFirst()
        lastID = lastID == .max ? 1 : lastID + 1
        let probe = Probe(
            id: lastID, bitrate: Bitrate(bitsPerSecond: Int64(rate)), bytes: Int(rate * length.seconds / 8),
            packets: Self.packets)
        running.append(ProbeMeasurement(probe))
        runningUntil = now + Self.patience + length
        return probe
    }

    mutating func note(_ packet: Acknowledgement) {
        for index in running.indices where running[index].probe.id == packet.probe { running[index].add(packet) }
    }

    /// What the probes of this feedback found; the best of them.
    mutating func result(wanted: Double, now: MediaTime) -> ProbeMeasurement.Result? {
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
                pending = [min(Self.laterFactor * result.bitsPerSecond, limit)]
            }
            interval = result.isSaturated ? min(interval + .seconds(1), Self.longestInterval) : Self.shortestInterval
        }
        return found
    }

    /// Forgets probes that were not answered.
    mutating func expire(now: MediaTime) {
        if now >= runningUntil {
            running.removeAll()
            if pending.isEmpty { isFirst = false }
        }
    }

    /// The target fell: not now, but soon.
    mutating func targetFell(now: MediaTime) {
        pending.removeAll()
        isFirst = false
        interval = Self.shortestInterval
        next = max(min(next, now + Self.longestInterval), now + Self.recovery)
    }

    /// When one may be due; `.never` with nothing to want.
    func deadline(target: Double, wanted: Double) -> MediaTime {
        if !pending.isEmpty { return .zero }
        return wanted > target ? next : .never
    }
}
