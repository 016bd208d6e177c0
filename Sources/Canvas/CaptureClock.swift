package import MediaBase
import RTP

/// Common timeline of a stream's audio and video: converts RTP timestamps to times of the relay's monotonic clock.
///
/// Until the publisher's sender reports relate its two RTP clocks (RFC 3550 section 6.4.1), each kind counts from the
/// arrival of its first packet. The kind with the first report keeps its times, and the other one is aligned to it.
/// Timestamps and reports are not trusted: jumps restart a track's timeline (`TrackTimeline`), and reports that
/// disagree with arrival are ignored.
package struct CaptureClock: Sendable {
    private struct Track: Sendable {
        var timeline: TrackTimeline
        /// Newest timestamp with a known wall-clock time.
        var reported: (timestamp: Int64, wallClock: NTPTime)?
        /// Offset that is added to the track's times because of sender reports.
        var offset: MediaTime = .zero
    }

    /// Maximum offset between audio and video; reports that require a larger one are ignored.
    package static let maximumOffset: MediaTime = .seconds(2)

    private var tracks: [MediaKind: Track] = [:]
    /// Kind that had the first report.
    private var leader: MediaKind?

    package init() {}

    /// Number of restarts of the tracks' timelines.
    package var restarts: UInt64 { tracks.values.reduce(0) { $0 &+ $1.timeline.restarts } }

    /// Notes a packet, in order of arrival.
    /// - Parameter sequence: unwrapped sequence number; nil for a packet that is the newest of its track.
    package mutating func note(
        _ kind: MediaKind, sequence: Int64? = nil, timestamp: Int64, arrival: MediaTime, captureNTP: UInt64?
    ) {
        if tracks[kind] == nil {
            tracks[kind] = Track(
                timeline: TrackTimeline(kind, sequence: sequence, ticks: timestamp, arrival: arrival))
        } else if tracks[kind]?.timeline.note(sequence: sequence, ticks: timestamp, arrival: arrival) == true {
            tracks[kind]?.reported = nil
        }
        guard let captureNTP else { return }
        tracks[kind]?.reported = (timestamp, NTPTime(rawValue: captureNTP))
        if leader == nil { leader = kind }
        align()
    }

    /// Returns the capture time of a timestamp; zero for a kind without packets.
    /// - Parameter arrival: arrival of the packet; nil uses the newest start of the timeline.
    package func captureTime(_ kind: MediaKind, timestamp: Int64, arrival: MediaTime? = nil) -> MediaTime {
        guard let track = tracks[kind] else { return .zero }
        let time = arrival.map { track.timeline.time(timestamp, arrival: $0) } ?? track.timeline.time(timestamp)
        return time + track.offset
    }

    private mutating func align() {
        guard let leader, let lead = tracks[leader], let leadReport = lead.reported else { return }
        for kind in MediaKind.allCases where kind != leader {
            guard let track = tracks[kind], let report = track.reported else { continue }
            let wanted =
                lead.timeline.time(leadReport.timestamp) + report.wallClock.distance(from: leadReport.wallClock)
            let offset = wanted - track.timeline.time(report.timestamp)
            guard offset <= Self.maximumOffset, offset >= .zero - Self.maximumOffset else { continue }
            tracks[kind]?.offset = offset
        }
    }
}
