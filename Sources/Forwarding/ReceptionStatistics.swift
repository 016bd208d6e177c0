package import MediaBase
package import RTP

/// Loss and jitter of one stream as its receiver sees it (RFC 3550 sections 6.4.1, A.3 and A.8).
package struct ReceptionStatistics: Sendable {
    private let clockRate: Int
    private var base: Int64?
    private var highest: Int64 = 0
    private var received: Int64 = 0
    private var expectedAtReport: Int64 = 0
    private var receivedAtReport: Int64 = 0
    private var transit: Int64?
    /// RTP timestamp units times 16, as appendix A.8 keeps it.
    private var scaledJitter: Int64 = 0

    /// - Parameter clockRate: RTP timestamp units a second.
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
            // Both wrap with the timestamp: the difference is taken in 32 bits.
            let difference = abs(Int64(Int32(truncatingIfNeeded: transit &- last)))
            scaledJitter &+= difference &- ((scaledJitter &+ 8) >> 4)
        }
        self.transit = transit
    }

    private var expected: Int64 { base.map { highest - $0 + 1 } ?? 0 }

    /// Packets expected but not received; negative where duplicates came.
    package var cumulativeLost: Int64 { expected - received }

    /// Interarrival jitter in RTP timestamp units.
    package var jitterTicks: UInt32 { UInt32(clamping: scaledJitter >> 4) }
    package var jitter: MediaTime { .nanoseconds((scaledJitter >> 4) &* 1_000_000_000 / Int64(clockRate)) }

    /// The report block for the time since the last one; nil before the first packet.
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
