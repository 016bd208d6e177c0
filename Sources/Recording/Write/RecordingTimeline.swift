package import MediaBase
internal import RTP

/// Where on the relay's clock each RTP timestamp of a stream lies.
///
/// A kind counts in its own RTP clock from where its first packet arrived. Once sender reports (RFC 3550 section 6.4.1) have told both
/// clocks, the kind that is not the reference is moved so that what was captured together lies together. The reference never moves:
/// a file's video keeps its pace.
package struct RecordingTimeline: Sendable {
    private struct Track {
        var anchorTicks: Int64
        var anchorTime: MediaTime
        var lastTicks: Int64
        var lastArrival: MediaTime
        /// A timestamp whose wall-clock time at the publisher is known.
        var report: (ticks: Int64, wallClock: NTPTime)?
        /// What sender reports ask to be added, and how much of it is applied.
        var target: MediaTime = .zero
        var applied: MediaTime = .zero
        var slewedTo: Int64
    }

    /// A media clock that jumps this much against arrival was restarted by the publisher.
    private static let restart: MediaTime = .seconds(5)
    /// Reports that disagree with arrival by more are not about the same clock.
    private static let credible: MediaTime = .seconds(10)
    /// Larger corrections are made at once, smaller ones at 1 % of the media's pace, which cannot be heard.
    private static let step: MediaTime = .milliseconds(40)

    private var tracks: [MediaKind: Track] = [:]
    /// The kind that the other one is aligned to; set when the file begins.
    private var reference: MediaKind?
    /// Corrections made at once after the start, and clock restarts.
    package private(set) var jumps: UInt64 = 0

    package init() {}

    package func hasReport(_ kind: MediaKind) -> Bool { tracks[kind]?.report != nil }
    package func hasPackets(_ kind: MediaKind) -> Bool { tracks[kind] != nil }

    /// Learns from a packet in the order of arrival.
    package mutating func note(_ kind: MediaKind, ticks: Int64, arrival: MediaTime, captureNTP: UInt64?) {
        guard var track = tracks[kind] else {
            tracks[kind] = Track(
                anchorTicks: ticks, anchorTime: arrival, lastTicks: ticks, lastArrival: arrival,
                report: captureNTP.map { (ticks, NTPTime(rawValue: $0)) }, slewedTo: ticks)
            align()
            return
        }
        let media = Self.span(ticks &- track.lastTicks, kind)
        let passed = arrival - track.lastArrival
        if media - passed > Self.restart || passed - media > Self.restart {
            // Time goes on where it was, as much later as the packet arrived.
            let time = raw(track, kind, track.lastTicks) + max(.zero, passed)
            track.anchorTicks = ticks
            track.anchorTime = time
            track.slewedTo = ticks
            track.report = nil
            jumps += 1
        }
        if let captureNTP { track.report = (ticks, NTPTime(rawValue: captureNTP)) }
        track.lastTicks = max(ticks, track.anchorTicks)
        track.lastArrival = arrival
        tracks[kind] = track
        align()
    }

    /// The file begins: `kind` sets the pace from here on, the other one's correction is taken over whole.
    package mutating func setReference(_ kind: MediaKind) {
        if let old = reference, old != kind, var track = tracks[kind] {
            // What was applied to it stays as it is now; its old reference follows from here.
            track.anchorTime += track.applied
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

    /// Relay time of a timestamp. Call in the order in which frames are written; small corrections are spread over the calls.
    package mutating func time(_ kind: MediaKind, ticks: Int64) -> MediaTime? {
        guard var track = tracks[kind] else { return nil }
        if reference != nil, reference != kind {
            let missing = track.target - track.applied
            if missing > Self.step || missing < .zero - Self.step {
                track.applied = track.target
                jumps += 1
            } else {
                let pace = max(0, Self.span(ticks &- track.slewedTo, kind).rawValue) / 100
                track.applied += .nanoseconds(max(-pace, min(pace, missing.rawValue)))
            }
            track.slewedTo = max(track.slewedTo, ticks)
            tracks[kind] = track
        }
        return raw(track, kind, ticks) + track.applied
    }

    /// The publisher's wall clock at a relay time, as its sender reports tell it.
    package func wallClock(at time: MediaTime) -> UInt64? {
        let kind = reference ?? .video
        guard let track = tracks[kind], let report = track.report else { return nil }
        let reported = raw(track, kind, report.ticks) + track.applied
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
                raw(lead, leader, leadReport.ticks) + lead.applied
                + report.wallClock.distance(from: leadReport.wallClock)
            let correction = wanted - raw(track, kind, report.ticks)
            guard correction <= Self.credible, correction >= .zero - Self.credible else { continue }
            tracks[kind]?.target = correction
        }
    }

    private func raw(_ track: Track, _ kind: MediaKind, _ ticks: Int64) -> MediaTime {
        track.anchorTime + Self.span(ticks &- track.anchorTicks, kind)
    }

    /// RTP ticks as time, without overflow for any two timestamps.
    static func span(_ ticks: Int64, _ kind: MediaKind) -> MediaTime {
        let rate = Int64(kind.clockRate)
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: rate)
        return .nanoseconds(
            max(-1 << 60, min(1 << 60, seconds.multipliedClamped(by: 1_000_000_000))) + rest * 1_000_000_000 / rate)
    }
}

extension Int64 {
    fileprivate func multipliedClamped(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? (self < 0 ? .min : .max) : product
    }
}
