import Canvas
import MediaBase
import RTP

/// Times of one stream's packets on the relay's clock.
///
/// With sender reports, audio and video of a stream share the publisher's clock, and their times have the offset that they had at capture.
/// Without, each kind is placed by its arrival. Either way the drift of the clock is followed (`DelayFloor`), so that the times of all
/// streams advance like the relay's clock.
struct ProgrammeClock: Sendable {
    private struct Reference: Sendable {
        var ticks: Int64
        /// Publisher's wall clock at `ticks`; nil before the first sender report.
        var wallClock: NTPTime?
    }

    /// Maximum difference between the time of a packet and its arrival; a forged timestamp cannot exceed it.
    static let maximumLag: MediaTime = .seconds(2)
    private static let maximumLead: MediaTime = .milliseconds(40)

    private var references: [MediaKind: Reference] = [:]
    /// Wall clock from which the publisher's times are counted.
    private var epoch: NTPTime?
    private var reported = DelayFloor()
    private var unreported: [MediaKind: DelayFloor] = [:]

    /// Notes a packet, in order of arrival.
    mutating func note(_ kind: MediaKind, ticks: Int64, arrival: MediaTime, captureNTP: UInt64?) {
        if let captureNTP {
            let wallClock = NTPTime(rawValue: captureNTP)
            references[kind] = Reference(ticks: ticks, wallClock: wallClock)
            if epoch == nil { epoch = wallClock }
        } else if references[kind] == nil {
            references[kind] = Reference(ticks: ticks)
        }
        guard let (capture, isReported) = capture(kind, ticks) else { return }
        if isReported {
            reported.note(capture: capture, arrival: arrival)
        } else {
            unreported[kind, default: DelayFloor()].note(capture: capture, arrival: arrival)
        }
    }

    /// Forgets a track whose next packets may have other timestamps.
    mutating func restart(_ kind: MediaKind) {
        references[kind] = nil
        unreported[kind] = nil
        if references.isEmpty { self = ProgrammeClock() }
    }

    /// Returns the relay's time of a timestamp.
    /// - Parameter arrival: arrival of the packet or frame.
    func time(_ kind: MediaKind, ticks: Int64, arrival: MediaTime) -> MediaTime {
        guard let (capture, isReported) = capture(kind, ticks) else { return arrival }
        let offset = isReported ? reported.offset : unreported[kind]?.offset ?? .zero
        return max(arrival - Self.maximumLag, min(arrival + Self.maximumLead, capture + offset))
    }

    private func capture(_ kind: MediaKind, _ ticks: Int64) -> (time: MediaTime, isReported: Bool)? {
        guard let reference = references[kind] else { return nil }
        let span = TimeJumpDetector.span(ticks &- reference.ticks, kind)
        guard let wallClock = reference.wallClock, let epoch else { return (span, false) }
        return (wallClock.distance(from: epoch) + span, true)
    }
}
