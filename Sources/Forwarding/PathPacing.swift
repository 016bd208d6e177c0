package import MediaBase

/// How fast packets may leave by one path: a token bucket. Audio never waits for it; video whose path has spent its burst is read from the
/// ring at the rate from then on, until it is level again.
package struct PathPacing: Sendable {
    /// What may leave at once, as time at the rate: an ordinary frame goes out in one send, a key frame over some of them.
    package static let burst = MediaTime.milliseconds(40)
    /// Beyond this it is half of that time: many a path's queue holds no more than this and a few packets.
    package static let largeBurst: Int64 = 25_000
    /// Bytes that may leave at once however low the rate is: a frame's worth of packets.
    package static let smallestBurst: Int64 = 5_000

    /// Once the burst is spent, what has to come together before video goes on: half a burst, but no more than some ten packets. One
    /// packet at a time would cost a system call each.
    package static let largestQuantum: Int64 = 12_000

    /// What was not held back (sound, retransmissions, probes) is paid for before video goes on, but no more than it can pay in this time.
    package static let longestDebt = MediaTime.milliseconds(500)

    /// Bytes that may leave now; what is not held back takes it below 0.
    private(set) var budget = Int64.max / 2
    /// 0: everything leaves as it comes.
    package private(set) var rate = Bitrate(rawValue: 0)
    /// Bytes that come to the budget once they are enough.
    private var saved: Int64 = 0
    private var refilledAt: MediaTime = .zero

    package init() {}

    /// - Parameter rate: 0 for none.
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
    /// Video has to wait.
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
