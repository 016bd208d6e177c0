package import MediaBase
package import RTP

/// The publisher's clock by its sender reports: maps NTP time to RTP timestamps (RFC 3550 section 6.4.1).
package struct SenderClock: Sendable {
    private let clockRate: Int
    package private(set) var ntp: NTPTime?
    private var timestamp = RTPTimestamp(0)
    /// Arrival time of the last report.
    package private(set) var reportedAt: MediaTime = .zero

    /// - Parameter clockRate: RTP timestamp units per second.
    package init(clockRate: Int) { self.clockRate = clockRate }

    package mutating func report(ntp: NTPTime, timestamp: RTPTimestamp, now: MediaTime) {
        self.ntp = ntp
        self.timestamp = timestamp
        reportedAt = now
    }

    /// Returns the NTP time of an RTP timestamp near that of the last report, or nil before the first report.
    package func ntp(of timestamp: RTPTimestamp) -> NTPTime? {
        guard let ntp else { return nil }
        let ticks = timestamp.distance(from: self.timestamp)
        return ntp.advanced(by: .nanoseconds(Int64(ticks) * 1_000_000_000 / Int64(clockRate)))
    }

    /// Returns the RTP timestamp of an NTP time near that of the last report, or nil before the first report.
    package func timestamp(of time: NTPTime) -> RTPTimestamp? {
        guard let ntp else { return nil }
        let nanoseconds = time.distance(from: ntp).rawValue
        // Whole seconds are converted separately, so that nothing is truncated and nothing overflows.
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let rate = Int64(clockRate)
        let part = (rest &* rate &+ (rest < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000
        return timestamp.advanced(by: Int(truncatingIfNeeded: seconds &* rate &+ part))
    }

    /// Returns the sender's NTP time and RTP timestamp at `now`, extrapolated from the last report.
    package func reading(now: MediaTime) -> (ntp: NTPTime, timestamp: RTPTimestamp)? {
        guard let ntp else { return nil }
        let elapsed = now - reportedAt
        return (
            ntp.advanced(by: elapsed),
            timestamp.advanced(by: Int(elapsed.rawValue / 1000 &* Int64(clockRate) / 1_000_000))
        )
    }

    /// Returns the two fields of a report block that refer to the last sender report: the middle 32 bits of its NTP time, and the time
    /// since it in units of 2^-16 s.
    package func lastReport(now: MediaTime) -> (compact: UInt32, delay: UInt32) {
        guard let ntp else { return (0, 0) }
        return (ntp.compact, NTPTime.compact(span: now - reportedAt))
    }
}
