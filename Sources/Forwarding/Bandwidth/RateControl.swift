import MediaBase

/// Raises and lowers the rate by what the delay says (draft-ietf-rmcat-gcc-02 section 5.5): by a share while the capacity of the
/// path is unknown, by about a packet a round trip near it, and down to a share of what arrives when the queue grows.
struct RateControl {
    /// Of what arrives, after over-use.
    private static let backOff = 0.85
    /// A second.
    private static let growth = 0.08
    /// Of what arrives: an estimate further up was never tried.
    private static let untried = 1.5
    /// The capacity is known to about this share.
    private static let band = 0.1
    /// Bits a second each second, at least.
    private static let slowest = 4_000.0

    private enum State {
        case hold
        case increase
    }

    /// Bits a second.
    private(set) var rate: Double
    private let limits: ClosedRange<Double>
    private var state = State.increase
    /// What arrived when the path was full, bits a second.
    private var capacity: Double?
    private var lastUpdate: MediaTime?
    private var lastDecrease: MediaTime?
    /// The rate before the last decrease.
    private(set) var before: Double = 0

    init(rate: Double, limits: ClosedRange<Double>) {
        self.limits = limits
        self.rate = rate
    }

    /// What the path was seen to do since the last update.
    struct Observation {
        let usage: DelayUsage
        /// Bits a second that arrived in the last half second, and in the last quarter.
        let acknowledged: Double?
        let acknowledgedOfLate: Double?
        /// Round trip.
        let response: MediaTime
        /// The sender had less to send than the rate.
        let isApplicationLimited: Bool
    }

    /// - Returns: whether the rate was lowered.
    mutating func update(_ seen: Observation, now: MediaTime) -> Bool {
        let elapsed = lastUpdate.map { min((now - $0).seconds, 1) } ?? 0
        lastUpdate = now
        switch seen.usage {
        case .overuse:
            state = .hold
            return decrease(seen, now: now)
        case .underuse:
            state = .hold
        case .normal:
            if state == .hold { state = .increase } else { increase(seen, elapsed: max(elapsed, 0)) }
        }
        return false
    }

    /// Something else found out what the path takes, such as a probe.
    mutating func set(_ bitsPerSecond: Double) {
        rate = clamped(bitsPerSecond)
        if let capacity, (bitsPerSecond - capacity).magnitude > Self.band * capacity { self.capacity = nil }
    }

    /// The path is full, and takes this much and no more.
    /// - Returns: whether the rate was lowered.
    mutating func narrow(to arrived: Double, now: MediaTime) -> Bool {
        let lowered = clamped(min(rate, Self.backOff * arrived))
        guard lowered < rate else { return false }
        state = .hold
        lastDecrease = now
        capacity = arrived
        before = rate
        rate = lowered
        return true
    }

    private mutating func decrease(_ seen: Observation, now: MediaTime) -> Bool {
        // The path needs a round trip to show what the last decrease did.
        let settling = min(max(seen.response, .milliseconds(50)), .milliseconds(200))
        if let lastDecrease, now - lastDecrease < settling { return false }
        let lately = seen.acknowledgedOfLate ?? rate
        let longer = seen.acknowledged ?? lately
        // Sparse sending makes a short measurement chancy; a full path makes a long one late.
        let arrived = seen.isApplicationLimited ? max(lately, longer) : lately
        learn(arrived)
        let lowered = clamped(min(rate, Self.backOff * arrived))
        lastDecrease = now
        guard lowered < rate else { return false }
        before = rate
        rate = lowered
        return true
    }

    private mutating func increase(_ seen: Observation, elapsed: Double) {
        guard !seen.isApplicationLimited else { return }
        if let known = capacity, let arrived = seen.acknowledged, arrived > known * (1 + Self.band) { capacity = nil }
        let raised: Double
        if capacity != nil {
            let response = seen.response.seconds + 0.1
            raised = rate + max(Self.slowest, packetBits / response) * elapsed
        } else {
            raised = rate * (1 + Self.growth * elapsed) + 1_000 * elapsed
        }
        // A rate that is over the bound already, from a probe, stays.
        let bound = seen.acknowledged.map { Self.untried * $0 + 10_000 } ?? rate
        rate = clamped(max(rate, min(raised, bound)))
    }

    /// Bits of a usual packet at this rate: frames at 30 a second, cut at 1,200 bytes.
    private var packetBits: Double {
        let frame = rate / 30
        let packets = (frame / 9_600).rounded(.up)
        return packets > 0 ? frame / packets : frame
    }

    private mutating func learn(_ arrived: Double) {
        guard let known = capacity, (arrived - known).magnitude < 2 * Self.band * known else {
            capacity = arrived
            return
        }
        capacity = known + 0.2 * (arrived - known)
    }

    private func clamped(_ value: Double) -> Double { min(max(value, limits.lowerBound), limits.upperBound) }
}
