import MediaBase
import RTP

/// Capture times of a pushed stream's packets, on the clock of the caller. Audio and video are aligned by the publisher's
/// sender reports; without these, by arrival.
///
/// A track keeps its offset until it is off by more than `tolerance`, because each correction is a jump of its RTP
/// timestamps. Corrections only go forward: when a track is too early, the times of the other one grow instead.
struct PushClock {
    private struct Anchor {
        var timestamp: Int64
        var time: MediaTime
    }

    private static let tolerance = MediaTime.milliseconds(100)
    /// Largest distance in ticks from a track's anchor: 6 days of audio. Beyond it the track gets a new anchor.
    private static let largestDistance: Int64 = 1 << 34

    private var anchors: [MediaKind: Anchor] = [:]
    /// Offset from the publisher's wall clock to the caller's clock, in nanoseconds.
    private var offset: Int64?

    /// Returns the capture time of a packet.
    /// - Parameters:
    ///   - timestamp: unwrapped RTP timestamp.
    ///   - captureNTP: time of the timestamp by the publisher's clock; nil before its first sender report.
    mutating func time(
        of kind: MediaKind, timestamp: Int64, captureNTP: UInt64?, arrival: MediaTime
    ) -> MediaTime {
        let captured = captured(captureNTP, arrival: arrival)
        guard let anchor = anchors[kind], let time = time(of: timestamp, since: anchor, kind) else {
            return begin(kind, timestamp, at: captured ?? arrival)
        }
        guard let captured else { return time }
        let error = captured - time
        if error > Self.tolerance { return begin(kind, timestamp, at: captured) }
        if .zero - error > Self.tolerance { offset = offset.map { $0 &- error.rawValue } }
        return time
    }

    private mutating func captured(_ ntp: UInt64?, arrival: MediaTime) -> MediaTime? {
        guard let ntp else { return nil }
        let unix = NTPTime(rawValue: ntp).unixNanoseconds
        let offset = self.offset ?? arrival.rawValue &- unix
        self.offset = offset
        return .nanoseconds(unix &+ offset)
    }

    private mutating func begin(_ kind: MediaKind, _ timestamp: Int64, at time: MediaTime) -> MediaTime {
        // Whole milliseconds are whole ticks of every clock rate, so that equal steps of timestamps stay equal.
        let time = MediaTime.milliseconds((time + .microseconds(500)).rawValue / 1_000_000)
        anchors[kind] = Anchor(timestamp: timestamp, time: time)
        return time
    }

    private func time(of timestamp: Int64, since anchor: Anchor, _ kind: MediaKind) -> MediaTime? {
        let (ticks, overflow) = timestamp.subtractingReportingOverflow(anchor.timestamp)
        guard !overflow, ticks.magnitude < Self.largestDistance.magnitude else { return nil }
        // Rounded up: the endpoint rounds down to ticks again, which gives the same tick.
        let rate = Int64(kind.clockRate)
        let (whole, rest) = ticks.quotientAndRemainder(dividingBy: rate)
        let nanoseconds = rest * 1_000_000_000
        let roundedUp = nanoseconds / rate + (nanoseconds % rate > 0 ? 1 : 0)
        return anchor.time + .nanoseconds(whole * 1_000_000_000 + roundedUp)
    }
}
