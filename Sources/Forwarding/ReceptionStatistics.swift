package import MediaBase
package import RTP

/// Loss and jitter of one received stream (RFC 3550 sections 6.4.1, A.3 and A.8).
package struct ReceptionStatistics: Sendable {
    private let clockRate: Int
    private var base: Int64?
    private var highest: Int64 = 0
    private var received: Int64 = 0
    private var expectedAtReport: Int64 = 0
    private var receivedAtReport: Int64 = 0
    private var transit: Int64?
    /// Jitter in RTP timestamp units, multiplied by 16 as in RFC 3550 appendix A.8.
    private var scaledJitter: Int64 = 0

    /// - Parameter clockRate: RTP timestamp units per second.
    package init(clockRate: Int) { self.clockRate = clockRate }

    /// - Parameter sequence: unwrapped.
    package mutating func receive(sequence: Int64, timestamp: RTPTimestamp, now: MediaTime) {
        if base == nil {
            base = sequence
            highest = sequence
        }
        if sequence > highest { highest = sequence }
        received &+= 1
        let arrival = now.rawValue / 1000 &* Int64(clockRate) / 1_000_000
        let transit = arrival &- Int64(timestamp.rawValue)
        if let last = self.transit {
            // The transit times wrap around with the 32-bit timestamp, so their difference is taken in 32 bits.
            let difference = abs(Int64(Int32(truncatingIfNeeded: transit &- last)))
            scaledJitter &+= difference &- ((scaledJitter &+ 8) >> 4)
        }
        self.transit = transit
    }

    private var expected: Int64 { base.map { highest - $0 + 1 } ?? 0 }

    /// Packets expected but not received; negative if duplicates were received.
    package var cumulativeLost: Int64 { expected - received }

    /// Interarrival jitter in RTP timestamp units.
    package var jitterTicks: UInt32 { UInt32(clamping: scaledJitter >> 4) }
    package var jitter: MediaTime { .nanoseconds((scaledJitter >> 4) &* 1_000_000_000 / Int64(clockRate)) }

    /// Returns the report block for the time since the last one, or nil before the first packet.
    package mutating func reportBlock(source: SSRC, clock: SenderClock, now: MediaTime) -> ReportBlock? {
        guard base != nil else { return nil }
        let expectedNow = expected - expectedAtReport
        let lost = expectedNow - (received - receivedAtReport)
        expectedAtReport = expected
        receivedAtReport = received
        let fraction = expectedNow > 0 && lost > 0 ? min(255, lost * 256 / expectedNow) : 0
        let last = clock.lastReport(now: now)
        return ReportBlock(
            source: source, fractionLost: UInt8(fraction),
            cumulativeLost: Int32(max(-0x80_0000, min(0x7f_ffff, cumulativeLost))),
            highestSequence: UInt32(truncatingIfNeeded: highest), jitter: jitterTicks, lastSenderReport: last.compact,
            delaySinceLastSenderReport: last.delay)
    }
}
