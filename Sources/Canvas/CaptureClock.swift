package import MediaBase
import RTP

/// One time line for a stream's audio and video: RTP timestamps as times of the relay's monotonic clock.
///
/// Until the publisher's sender reports say how its two RTP clocks relate (RFC 3550 section 6.4.1), each kind counts from the arrival of
/// its first packet. The kind that brings the first report keeps its times, and the other one moves to them. Timestamps and reports are
/// the publisher's word: jumps restart a track's timeline (`TrackTimeline`), and reports that disagree with arrival are ignored.
package struct CaptureClock: Sendable {
    private struct Track: Sendable {
        var timeline: TrackTimeline
        /// The newest timestamp whose wall-clock time is known.
        var reported: (timestamp: Int64, wallClock: NTPTime)?
        /// Added to the track's times because of sender reports.
        var offset: MediaTime = .zero
    }

    /// Reports that ask for a larger offset between audio and video are ignored.
    package static let maximumOffset: MediaTime = .seconds(2)

    private var tracks: [MediaKind: Track] = [:]
    /// The kind that brought the first report.
    private var leader: MediaKind?

    package init() {}

    /// Restarts of the tracks' timelines.
    package var restarts: UInt64 { tracks.values.reduce(0) { $0 &+ $1.timeline.restarts } }

    /// Learns from a packet in order of arrival.
    /// - Parameter sequence: unwrapped; nil for a packet that is the newest of its track.
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

    /// Returns the time at which media with this timestamp was captured; zero for a kind without packets.
    /// - Parameter arrival: of the packet that carried it; nil places it by the newest start of the timeline.
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
