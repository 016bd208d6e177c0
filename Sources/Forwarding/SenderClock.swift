package import MediaBase
package import RTP

/// What a publisher's sender reports say of its clock: which NTP time belongs to which RTP timestamp (RFC 3550 section 6.4.1).
package struct SenderClock: Sendable {
    private let clockRate: Int
    package private(set) var ntp: NTPTime?
    private var timestamp = RTPTimestamp(0)
    /// When the last report came.
    package private(set) var reportedAt: MediaTime = .zero

    /// - Parameter clockRate: RTP timestamp units a second.
    package init(clockRate: Int) { self.clockRate = clockRate }

    package mutating func report(ntp: NTPTime, timestamp: RTPTimestamp, now: MediaTime) {
        self.ntp = ntp
        self.timestamp = timestamp
        reportedAt = now
    }

    /// NTP time of an RTP timestamp near the last report's; nil before the first report.
    package func ntp(of timestamp: RTPTimestamp) -> NTPTime? {
        guard let ntp else { return nil }
        let ticks = timestamp.distance(from: self.timestamp)
        return ntp.advanced(by: .nanoseconds(Int64(ticks) * 1_000_000_000 / Int64(clockRate)))
    }

    /// RTP timestamp of an NTP time near the last report's; nil before the first report.
    package func timestamp(of time: NTPTime) -> RTPTimestamp? {
        guard let ntp else { return nil }
        let nanoseconds = time.distance(from: ntp).rawValue
        // Whole seconds apart, so that nothing is cut off and nothing overflows.
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let rate = Int64(clockRate)
        let part = (rest &* rate &+ (rest < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000
        return timestamp.advanced(by: Int(truncatingIfNeeded: seconds &* rate &+ part))
    }

    /// The sender's NTP time and RTP timestamp at `now`, carried on from the last report.
    package func reading(now: MediaTime) -> (ntp: NTPTime, timestamp: RTPTimestamp)? {
        guard let ntp else { return nil }
        let elapsed = now - reportedAt
        return (
            ntp.advanced(by: elapsed),
            timestamp.advanced(by: Int(elapsed.rawValue / 1000 &* Int64(clockRate) / 1_000_000))
        )
    }

    /// The fields of a report block that answer the last sender report: its middle 32 bits and the time since, in 2^-16 s.
    package func lastReport(now: MediaTime) -> (compact: UInt32, delay: UInt32) {
        guard let ntp else { return (0, 0) }
        return (ntp.compact, NTPTime.compact(span: now - reportedAt))
    }
}
