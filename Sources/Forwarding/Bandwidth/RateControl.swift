import MediaBase

/// Controls the rate by the delay (draft-ietf-rmcat-gcc-02 section 5.5). While the capacity of the path is unknown, the rate grows by a
/// percentage; near the known capacity, by about a packet per round trip. When the queue grows, the rate falls to a fraction of the rate of
/// arrivals.
struct RateControl {
    /// Factor of the rate of arrivals after overuse.
    private static let backOff = 0.85
    /// Growth per second while the capacity is unknown.
    private static let growth = 0.08
    /// Maximum factor of the rate of arrivals; a higher estimate would be untested.
    private static let untried = 1.5
    /// Relative precision of the known capacity.
    private static let band = 0.1
    /// Minimum growth near the capacity, in bits per second per second.
    private static let slowest = 4_000.0

    private enum State {
        case hold
        case increase
    }

    /// Current rate in bits per second.
    private(set) var rate: Double
    private let limits: ClosedRange<Double>
    private var state = State.increase
    /// Rate of arrivals when the path was full, in bits per second.
    private var capacity: Double?
    private var lastUpdate: MediaTime?
    private var lastDecrease: MediaTime?
    /// Rate before the last decrease.
    private(set) var before: Double = 0

    init(rate: Double, limits: ClosedRange<Double>) {
        self.limits = limits
        self.rate = rate
    }

    /// Observation of the path since the last update.
    struct Observation {
        let usage: DelayUsage
        /// Bits per second that arrived in the last half second; `acknowledgedOfLate` covers the last quarter of a second.
        let acknowledged: Double?
        let acknowledgedOfLate: Double?
        /// Round trip time.
        let response: MediaTime
        /// True if the sender had less to send than the rate allows.
        let isApplicationLimited: Bool
    }

    /// Updates the rate.
    /// - Returns: true if the rate was lowered.
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

    /// Sets the rate to a capacity that was measured otherwise, for example by a probe.
    mutating func set(_ bitsPerSecond: Double) {
        rate = clamped(bitsPerSecond)
        if let capacity, (bitsPerSecond - capacity).magnitude > Self.band * capacity { self.capacity = nil }
    }

    /// Lowers the rate of a full path that delivers `arrived` bits per second.
    /// - Returns: true if the rate was lowered.
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
        // The effect of the last decrease shows after a round trip.
        let settling = min(max(seen.response, .milliseconds(50)), .milliseconds(200))
        if let lastDecrease, now - lastDecrease < settling { return false }
        let lately = seen.acknowledgedOfLate ?? rate
        let longer = seen.acknowledged ?? lately
        // If little is sent, a short measurement is unreliable; on a full path, a long one lags.
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
        // A rate that exceeds the bound already, after a probe, is kept.
        let bound = seen.acknowledged.map { Self.untried * $0 + 10_000 } ?? rate
        rate = clamped(max(rate, min(raised, bound)))
    }

    /// Typical packet size at this rate in bits: 30 frames per second, split at 1,200 bytes.
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
