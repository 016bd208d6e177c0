import Canvas
package import MediaBase
import RTP

/// Places of a stream's RTP timestamps on the relay's clock.
///
/// A kind counts in its own RTP clock from the arrival of its first packet; a jump restarts its timeline at the place of its arrival
/// (`TrackTimeline`). Once sender reports (RFC 3550 section 6.4.1) relate both clocks, the kind that is not the reference is moved so that
/// media captured together is placed together. The reference never moves: a file's video keeps its pace.
package struct RecordingTimeline: Sendable {
    private struct Track: Sendable {
        var timeline: TrackTimeline
        /// A timestamp whose wall-clock time at the publisher is known.
        var report: (ticks: Int64, wallClock: NTPTime)?
        /// Correction that sender reports ask for, and the part of it that is applied.
        var target: MediaTime = .zero
        var applied: MediaTime = .zero
        var slewedTo: Int64
    }

    /// Reports that disagree with arrival by more are not about the same clock.
    private static let credible: MediaTime = .seconds(10)
    /// Larger corrections are made at once, smaller ones at 1 % of the media's pace, which cannot be heard.
    private static let step: MediaTime = .milliseconds(40)

    private var tracks: [MediaKind: Track] = [:]
    /// The kind that the other one is aligned to; set when the file begins.
    private var reference: MediaKind?
    /// Corrections made at once after the start, and new starts after jumps of RTP time.
    package private(set) var jumps: UInt64 = 0

    package init() {}

    package func hasReport(_ kind: MediaKind) -> Bool { tracks[kind]?.report != nil }
    package func hasPackets(_ kind: MediaKind) -> Bool { tracks[kind] != nil }

    /// Learns from a packet in the order of arrival.
    /// - Parameter sequence: unwrapped; nil for a packet that is the newest of its track.
    package mutating func note(
        _ kind: MediaKind, sequence: Int64? = nil, ticks: Int64, arrival: MediaTime, captureNTP: UInt64?
    ) {
        guard var track = tracks[kind] else {
            tracks[kind] = Track(
                timeline: TrackTimeline(kind, sequence: sequence, ticks: ticks, arrival: arrival),
                report: captureNTP.map { (ticks, NTPTime(rawValue: $0)) }, slewedTo: ticks)
            align()
            return
        }
        if track.timeline.note(sequence: sequence, ticks: ticks, arrival: arrival) {
            track.slewedTo = ticks
            track.report = nil
            jumps &+= 1
        }
        if let captureNTP { track.report = (ticks, NTPTime(rawValue: captureNTP)) }
        tracks[kind] = track
        align()
    }

    /// The file begins: `kind` sets the pace from here on, the other one's correction is taken over whole.
    package mutating func setReference(_ kind: MediaKind) {
        if let old = reference, old != kind, var track = tracks[kind] {
            // What was applied to it stays as it is now; its old reference follows from here.
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
    }

    /// Returns the relay time of a timestamp. Call in the order in which frames are written; small corrections are spread over the calls.
    /// - Parameter arrival: of the frame; without it, the newest start of the timeline counts.
    package mutating func time(_ kind: MediaKind, ticks: Int64, arrival: MediaTime? = nil) -> MediaTime? {
        guard var track = tracks[kind] else { return nil }
        if reference != nil, reference != kind {
            let missing = track.target - track.applied
            if missing > Self.step || missing < .zero - Self.step {
                track.applied = track.target
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

    /// The publisher's wall clock at a relay time, as its sender reports tell it.
    package func wallClock(at time: MediaTime) -> UInt64? {
        let kind = reference ?? .video
        guard let track = tracks[kind], let report = track.report else { return nil }
        let reported = raw(track, report.ticks) + track.applied
        return report.wallClock.advanced(by: time - reported).rawValue
    }

    /// What the non-reference kind's reports ask for.
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
        }
    }

    private func raw(_ track: Track, _ ticks: Int64, _ arrival: MediaTime? = nil) -> MediaTime {
        arrival.map { track.timeline.time(ticks, arrival: $0) } ?? track.timeline.time(ticks)
    }
}
