package import MediaBase
internal import RTP

/// Puts the RTP timestamps of a stream's sound and pictures on one time line: the relay's monotonic clock.
///
/// Until the publisher's sender reports say how its two RTP clocks relate (RFC 3550 section 6.4.1), each kind counts
/// from when its first packet came. The kind that brings the first report keeps its times, and the other one moves to
/// them.
package struct CaptureClock: Sendable {
    private struct Track {
        /// Where the kind counts from before reports: RTP timestamp and time.
        var anchor: (timestamp: Int64, time: MediaTime)
        /// The newest timestamp whose wall-clock time is known.
        var reported: (timestamp: Int64, wallClock: NTPTime)?
    }

    private var tracks: [MediaKind: Track] = [:]
    /// A wall-clock time of the publisher and the time that it is taken to be.
    private var reference: (wallClock: NTPTime, time: MediaTime)?

    package init() {}

    /// Learns from a packet.
    package mutating func note(
        _ kind: MediaKind, timestamp: Int64, arrival: MediaTime, captureNTP: UInt64?
    ) {
        var track = tracks[kind] ?? Track(anchor: (timestamp, arrival))
        if let captureNTP {
            let wallClock = NTPTime(rawValue: captureNTP)
            if reference == nil {
                reference = (wallClock, track.anchor.time + Self.span(timestamp - track.anchor.timestamp, kind))
            }
            track.reported = (timestamp, wallClock)
        }
        tracks[kind] = track
    }

    /// When what has this timestamp was taken. Zero for a kind that no packet came of.
    package func captureTime(_ kind: MediaKind, timestamp: Int64) -> MediaTime {
        guard let track = tracks[kind] else { return .zero }
        if let reference, let reported = track.reported {
            return reference.time + reported.wallClock.distance(from: reference.wallClock)
                + Self.span(timestamp - reported.timestamp, kind)
        }
        return track.anchor.time + Self.span(timestamp - track.anchor.timestamp, kind)
    }

    /// RTP clock ticks as time, without overflow for any pair of unwrapped timestamps.
    private static func span(_ ticks: Int64, _ kind: MediaKind) -> MediaTime {
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: Int64(kind.clockRate))
        return MediaTime(rawValue: seconds &* 1_000_000_000 &+ rest * 1_000_000_000 / Int64(kind.clockRate))
    }
}
