package import MediaBase

/// Relay times of one track's RTP timestamps.
///
/// Time counts in the publisher's RTP clock from the arrival of the first packet. After a jump (`TimeJumpDetector`) the
/// timeline restarts at the packet's arrival time, so that time does not jump and stays aligned with the other track.
/// Frames are timed after their packets were reordered, so the last few starts are kept, and a frame uses the start
/// that agrees with its arrival.
package struct TrackTimeline: Sendable {
    private struct Segment: Sendable {
        var ticks: Int64
        var time: MediaTime
    }

    /// Number of starts that are kept. If a publisher jumps more often within the reordering time, frames are timed by
    /// arrival alone.
    private static let capacity = 8
    /// Lead of a frame over its arrival beyond that of packets; above it, only arrival counts.
    private static let frameLead: MediaTime = .seconds(1)
    /// Maximum lag behind arrival, such as after a network stall.
    private static let maximumLag: MediaTime = .seconds(30)

    private let kind: MediaKind
    private var segments: [Segment]
    private var detector: TimeJumpDetector
    private var highestSequence: Int64?
    /// Time minus arrival of a packet that is neither early nor late.
    private var base: MediaTime = .zero
    /// Time minus arrival of the packet with the least delay since the newest start.
    package private(set) var greatestLead: MediaTime = .zero
    /// Number of starts after the first.
    package private(set) var restarts: UInt64 = 0

    package init(_ kind: MediaKind, sequence: Int64?, ticks: Int64, arrival: MediaTime) {
        self.kind = kind
        segments = [Segment(ticks: ticks, time: arrival)]
        detector = TimeJumpDetector(kind, ticks: ticks, arrival: arrival)
        highestSequence = sequence
    }

    /// Maximum lead of RTP time over arrival that is no jump.
    package var maximumLead: MediaTime {
        get { detector.maximumLead }
        set { detector.maximumLead = newValue }
    }

    /// Notes a packet, in order of arrival.
    /// - Parameter sequence: unwrapped sequence number; packets older than the newest are ignored. Nil for a packet
    ///   that is the newest.
    /// - Returns: whether the timeline restarts with this packet.
    package mutating func note(sequence: Int64?, ticks: Int64, arrival: MediaTime) -> Bool {
        if let sequence {
            if let highestSequence, sequence <= highestSequence { return false }
            highestSequence = sequence
        }
        guard detector.note(ticks: ticks, arrival: arrival) else {
            base = time(detector.lastTicks) - .nanoseconds(detector.lead) - detector.lastArrival
            greatestLead = max(greatestLead, time(ticks) - arrival)
            return false
        }
        restarts &+= 1
        segments.append(Segment(ticks: ticks, time: arrival + base))
        greatestLead = base
        if segments.count > Self.capacity { segments.removeFirst() }
        return true
    }

    /// Returns the time of a timestamp relative to the newest start.
    package func time(_ ticks: Int64) -> MediaTime {
        guard let newest = segments.last else { return .zero }
        return newest.time + TimeJumpDetector.span(ticks &- newest.ticks, kind)
    }

    /// Returns the time of a frame relative to the start that it belongs to, or its arrival time if it belongs to none.
    package func time(_ ticks: Int64, arrival: MediaTime) -> MediaTime {
        let expected = arrival + base
        let best = start(of: ticks, expected).time
        let lead = best - expected
        return lead > maximumLead + Self.frameLead || lead < .zero - Self.maximumLag ? expected : best
    }

    /// Returns the number of restarts before the start that a frame belongs to.
    package func restarts(before ticks: Int64, arrival: MediaTime) -> UInt64 {
        restarts &- UInt64(segments.count - 1 - start(of: ticks, arrival + base).index)
    }

    /// Returns the start that agrees best with the expected time of a frame, and the frame's time relative to it.
    private func start(of ticks: Int64, _ expected: MediaTime) -> (index: Int, time: MediaTime) {
        var best = (index: segments.count - 1, time: expected)
        var bestDistance = UInt64.max
        for (index, segment) in segments.enumerated().reversed() {
            let time = segment.time + TimeJumpDetector.span(ticks &- segment.ticks, kind)
            let distance = (time - expected).rawValue.magnitude
            if distance < bestDistance {
                best = (index, time)
                bestDistance = distance
            }
        }
        return best
    }

    /// Moves all times by `offset`.
    package mutating func shift(by offset: MediaTime) {
        for index in segments.indices { segments[index].time += offset }
        base += offset
        greatestLead += offset
    }

    /// Moves all times by `offset`, and makes the packet with the least delay the one that is neither early nor late. The first packet
    /// may have been late, such as at a publisher that sends at once what it gathered before.
    package mutating func settle(movingBy offset: MediaTime) {
        detector.settle(by: greatestLead - base)
        base = greatestLead
        shift(by: offset)
    }
}
