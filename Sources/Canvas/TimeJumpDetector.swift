package import MediaBase

/// Detector of jumps in one track's RTP time, which it compares with the arrival of packets.
///
/// RTP time differs from arrival by jitter, network stalls and clock drift; these are not jumps. A publisher that
/// restarts its clock or forges timestamps causes a jump, after which RTP time no longer corresponds to real time.
package struct TimeJumpDetector: Sendable {
    /// Maximum step of RTP time that arrival need not explain.
    package static let threshold: MediaTime = .seconds(1)
    /// Time for which RTP time may lag more than `threshold` behind arrival. After a network stall, delayed packets
    /// arrive together and the lag ends; if the publisher's clock stood still, the lag remains.
    package static let patience: MediaTime = .seconds(3)
    /// Divisor of the elapsed time by which leads and lags shrink (1 %), so that clock drift never adds up to a jump.
    private static let driftDivisor: Int64 = 100

    private let kind: MediaKind
    /// Maximum lead of RTP time over arrival. A larger one permits a publisher to send at once what it gathered before, in small
    /// steps.
    package var maximumLead = Self.threshold
    /// Newest timestamp, unless a packet stepped back by less than `threshold`.
    package private(set) var lastTicks: Int64
    package private(set) var lastArrival: MediaTime
    /// Nanoseconds by which RTP time is ahead of arrival; negative if it lags.
    package private(set) var lead: Int64 = 0
    private var lagSince: MediaTime?

    /// - Parameters:
    ///   - ticks: unwrapped RTP timestamp of the first packet.
    ///   - arrival: arrival of the first packet.
    package init(_ kind: MediaKind, ticks: Int64, arrival: MediaTime) {
        self.kind = kind
        lastTicks = ticks
        lastArrival = arrival
    }

    /// Compares the next packet in sequence order with earlier ones.
    /// - Returns: whether it is a jump; the packet is then the first of a new timeline.
    package mutating func note(ticks: Int64, arrival: MediaTime) -> Bool {
        let step = Self.span(ticks &- lastTicks, kind).rawValue
        let passed = max(0, (arrival - lastArrival).rawValue)
        let threshold = Self.threshold.rawValue
        if step < 0, step >= -threshold { return false }
        let deviation = step &- passed
        if step.magnitude > threshold.magnitude, deviation.magnitude > threshold.magnitude {
            return restart(ticks, arrival)
        }
        lastTicks = ticks
        lastArrival = max(lastArrival, arrival)
        lead &+= deviation
        // A larger lag is that of a stall or of a clock that stood still, not drift.
        if lead >= -threshold {
            let drift = passed / Self.driftDivisor
            lead = lead > 0 ? max(0, lead - drift) : min(0, lead + drift)
        }
        if lead > maximumLead.rawValue { return restart(ticks, arrival) }
        guard lead < -threshold else {
            lagSince = nil
            return false
        }
        let since = lagSince ?? arrival
        lagSince = since
        return arrival - since >= Self.patience ? restart(ticks, arrival) : false
    }

    /// Reduces the lead, so that a packet that was early is neither early nor late.
    package mutating func settle(by reduction: MediaTime) {
        lead &-= reduction.rawValue
        lagSince = nil
    }

    private mutating func restart(_ ticks: Int64, _ arrival: MediaTime) -> Bool {
        lastTicks = ticks
        lastArrival = max(lastArrival, arrival)
        lead = 0
        lagSince = nil
        return true
    }

    /// Converts RTP clock ticks to time, limited to about 36 years.
    package static func span(_ ticks: Int64, _ kind: MediaKind) -> MediaTime {
        let rate = Int64(kind.clockRate)
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: rate)
        let limit: Int64 = (1 << 60) / 1_000_000_000
        return .nanoseconds(max(-limit, min(limit, seconds)) * 1_000_000_000 + rest * 1_000_000_000 / rate)
    }
}
