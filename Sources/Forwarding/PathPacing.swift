package import MediaBase

/// Token bucket that limits the rate of one path. Audio is never delayed by it. When video has used up the burst, it is read from the ring
/// at the configured rate until it has caught up.
package struct PathPacing: Sendable {
    /// Maximum burst, as time at the rate. An ordinary frame leaves in one send, a key frame in several.
    package static let burst = MediaTime.milliseconds(40)
    /// Above this many bytes, the burst is half of `burst`: the queues of many paths hold only this and a few packets.
    package static let largeBurst: Int64 = 25_000
    /// Minimum burst in bytes, however low the rate is: the packets of one frame.
    package static let smallestBurst: Int64 = 5_000

    /// After the burst is used up, budget that must accumulate before video continues, in bytes: half a burst, but no more than about ten
    /// packets. Sending one packet at a time would cost a system call each.
    package static let largestQuantum: Int64 = 12_000

    /// Maximum debt, as time at the rate. Packets that are never delayed (audio, retransmissions, probes) can make the budget negative, and
    /// video continues only after the debt is paid.
    package static let longestDebt = MediaTime.milliseconds(500)

    /// Bytes that may be sent now. Packets that are never delayed take it below 0.
    private(set) var budget = Int64.max / 2
    /// Configured rate; 0 means no limit.
    package private(set) var rate = Bitrate(rawValue: 0)
    /// Bytes that are added to the budget when they reach a quantum.
    private var saved: Int64 = 0
    private var refilledAt: MediaTime = .zero

    package init() {}

    /// Sets the rate.
    /// - Parameter rate: 0 for no limit.
    package mutating func setRate(_ rate: Bitrate, now: MediaTime) {
        guard rate != self.rate else { return }
        if rate.rawValue <= 0 {
            self = PathPacing()
            return
        }
        if isOn { refill(now: now) } else { refilledAt = now }
        let wasOn = isOn
        self.rate = rate
        budget = wasOn ? min(budget, burstBytes) : burstBytes
    }

    @inline(__always)
    package var isOn: Bool { rate.rawValue > 0 }
    /// True if video has to wait.
    @inline(__always)
    var isSpent: Bool { budget <= 0 }

    private var burstBytes: Int64 {
        let usual = Self.bytes(rate, over: Self.burst)
        return max(Self.smallestBurst, min(usual, max(Self.largeBurst, usual / 2)))
    }

    private static func bytes(_ rate: Bitrate, over span: MediaTime) -> Int64 {
        let seconds = min(max(0, span.seconds), 1)
        return Int64(Double(min(rate.rawValue, 1 << 40)) / 8 * seconds)
    }

    mutating func refill(now: MediaTime) {
        guard now > refilledAt else { return }
        budget = max(budget, -Self.bytes(rate, over: Self.longestDebt))
        saved = min(burstBytes &- min(budget, 0), saved &+ Self.bytes(rate, over: now - refilledAt))
        refilledAt = now
        if budget > 0 || budget &+ saved >= min(burstBytes / 2, Self.largestQuantum) {
            budget = min(burstBytes, budget &+ saved)
            saved = 0
        }
    }

    @inline(__always)
    mutating func spend(_ bytes: UInt32) { budget &-= Int64(bytes) }
}
