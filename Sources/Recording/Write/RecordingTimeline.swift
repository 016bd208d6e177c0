import Canvas
package import MediaBase
import RTP

/// Times of a stream's RTP timestamps on the relay's clock.
///
/// Each kind counts in its own RTP clock from the arrival of its first packet; a jump restarts its timeline at the
/// arrival time (`TrackTimeline`). When a file begins, the packet with the least delay so far gets the time of its arrival: a publisher
/// may have gathered media before, and has sent it at once. Once sender reports (RFC 3550 section 6.4.1) relate both clocks, the other kind is
/// shifted so that media captured together gets the same time. The reference kind is never shifted, so a file's video
/// keeps its frame rate.
package struct RecordingTimeline: Sendable {
    private struct Track: Sendable {
        var timeline: TrackTimeline
        /// A timestamp with its wall-clock time at the publisher.
        var report: (ticks: Int64, wallClock: NTPTime)?
        /// Whether there has been a report, also before a jump.
        var hasReported = false
        /// Correction from sender reports, and the part of it that is applied.
        var target: MediaTime = .zero
        var applied: MediaTime = .zero
        /// Whether sender reports have aligned this kind to the reference.
        var isAligned = false
        /// Number of corrections that were applied at once after the start.
        var steps: UInt64 = 0
        var slewedTo: Int64
    }

    /// Maximum difference between reports and arrival; reports that differ by more belong to another clock.
    private static let credible: MediaTime = .seconds(10)
    /// Maximum correction that is spread over time, at 1 % of the media's rate, which is inaudible. Larger ones are
    /// applied at once.
    private static let step: MediaTime = .milliseconds(40)
    /// Maximum lead of RTP time over arrival, if all tracks have sender reports. An RTMP server sends a new reader all since its last key frame at once, usually up to 10 s.
    package static let maximumLead: MediaTime = .seconds(15)
    /// Maximum time by which a file begins before the arrival of its first packet. Its clock points show the rest of a larger lead.
    package static let maximumGathered: MediaTime = .seconds(3)

    private let maximumLead: MediaTime
    private var tracks: [MediaKind: Track] = [:]
    /// Kind that the other one is aligned to; set when the file begins.
    private var reference: MediaKind?
    /// Corrections applied at once after the start, plus timeline restarts after jumps of RTP time.
    package private(set) var jumps: UInt64 = 0

    /// - Parameter maximumLead: lower limit of the lead of RTP time over arrival, for media that is played at once.
    package init(maximumLead: MediaTime = Self.maximumLead) { self.maximumLead = maximumLead }

    package func hasReport(_ kind: MediaKind) -> Bool { tracks[kind]?.report != nil }
    package func hasPackets(_ kind: MediaKind) -> Bool { tracks[kind] != nil }

    /// Notes a packet, in order of arrival.
    /// - Parameter sequence: unwrapped sequence number; nil for a packet that is the newest of its track.
    package mutating func note(
        _ kind: MediaKind, sequence: Int64? = nil, ticks: Int64, arrival: MediaTime, captureNTP: UInt64?
    ) {
        guard var track = tracks[kind] else {
            tracks[kind] = Track(
                timeline: TrackTimeline(kind, sequence: sequence, ticks: ticks, arrival: arrival),
                report: captureNTP.map { (ticks, NTPTime(rawValue: $0)) }, hasReported: captureNTP != nil,
                slewedTo: ticks)
            align()
            return
        }
        track.timeline.maximumLead = min(maximumLead, permittedLead)
        if track.timeline.note(sequence: sequence, ticks: ticks, arrival: arrival) {
            track.slewedTo = ticks
            track.report = nil
            jumps &+= 1
        }
        if let captureNTP {
            track.report = (ticks, NTPTime(rawValue: captureNTP))
            track.hasReported = true
        }
        tracks[kind] = track
        align()
    }

    /// Maximum lead of a track. Without reports, the restart of its timeline is all that keeps it together with the other track.
    private var permittedLead: MediaTime {
        if tracks.values.allSatisfy(\.hasReported) { return Self.maximumLead }
        return reference == nil ? Self.maximumGathered : TimeJumpDetector.threshold
    }

    /// Sets the reference kind when a file begins, and applies the other kind's correction completely.
    package mutating func setReference(_ kind: MediaKind) {
        let isFirst = reference == nil
        if var track = tracks[kind] {
            // The correction applied so far becomes permanent; another kind that was the reference follows from here.
            track.timeline.shift(by: track.applied)
            track.applied = .zero
            track.target = .zero
            tracks[kind] = track
        }
        reference = kind
        align()
        tracks = tracks.mapValues { track in
            var track = track
            track.applied = track.target
            return track
        }
        if isFirst { settle() }
    }

    /// Moves all times so that the packet with the least delay has the time of its arrival. Kinds that sender reports have aligned move
    /// together, the others each by its own least delay.
    private mutating func settle() {
        let leads = tracks.mapValues { $0.timeline.greatestLead + $0.applied }
        let together = tracks.keys.filter { $0 == reference || tracks[$0]?.isAligned == true }
        let common = together.compactMap { leads[$0] }.max() ?? .zero
        let moves = leads.map { kind, lead in (kind, by: together.contains(kind) ? common : lead) }
        let most = moves.map { kind, move in move - (tracks[kind]?.applied ?? .zero) }.max() ?? .zero
        let excess = max(.zero, most - Self.maximumGathered)
        for (kind, move) in moves { tracks[kind]?.timeline.settle(movingBy: excess - move) }
    }

    /// Returns the relay time of a timestamp. Must be called in the order in which frames are written, because small
    /// corrections are spread over the calls.
    /// - Parameter arrival: arrival of the frame; nil uses the newest start of the timeline.
    package mutating func time(_ kind: MediaKind, ticks: Int64, arrival: MediaTime? = nil) -> MediaTime? {
        guard var track = tracks[kind] else { return nil }
        if reference != nil, reference != kind {
            let missing = track.target - track.applied
            if missing > Self.step || missing < .zero - Self.step {
                track.applied = track.target
                track.steps += 1
                jumps += 1
            } else {
                let pace = max(0, TimeJumpDetector.span(ticks &- track.slewedTo, kind).rawValue) / 100
                track.applied += .nanoseconds(max(-pace, min(pace, missing.rawValue)))
            }
            track.slewedTo = max(track.slewedTo, ticks)
            tracks[kind] = track
        }
        return raw(track, ticks, arrival) + track.applied
    }

    /// Returns the number of steps between RTP time and relay time before a timestamp: two timestamps with another number between them are
    /// not as far apart as their relay times. Call it after `time`.
    package func steps(_ kind: MediaKind, before ticks: Int64, arrival: MediaTime) -> UInt64 {
        guard let track = tracks[kind] else { return 0 }
        return track.timeline.restarts(before: ticks, arrival: arrival) &+ track.steps
    }

    /// Returns the publisher's wall clock at a relay time, from its sender reports.
    package func wallClock(at time: MediaTime) -> UInt64? {
        let kind = reference ?? .video
        guard let track = tracks[kind], let report = track.report else { return nil }
        let reported = raw(track, report.ticks) + track.applied
        return report.wallClock.advanced(by: time - reported).rawValue
    }

    /// Computes the correction of the other kind from sender reports.
    private mutating func align() {
        guard let leader = reference ?? (tracks[.video] != nil ? .video : nil), let lead = tracks[leader],
            let leadReport = lead.report
        else { return }
        for kind in MediaKind.allCases where kind != leader {
            guard let track = tracks[kind], let report = track.report else { continue }
            let wanted =
                raw(lead, leadReport.ticks) + lead.applied
                + report.wallClock.distance(from: leadReport.wallClock)
            let correction = wanted - raw(track, report.ticks)
            guard correction <= Self.credible, correction >= .zero - Self.credible else { continue }
            tracks[kind]?.target = correction
            tracks[kind]?.isAligned = true
        }
    }

    private func raw(_ track: Track, _ ticks: Int64, _ arrival: MediaTime? = nil) -> MediaTime {
        arrival.map { track.timeline.time(ticks, arrival: $0) } ?? track.timeline.time(ticks)
    }
}
