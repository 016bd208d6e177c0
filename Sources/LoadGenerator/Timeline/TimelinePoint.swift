import MediaBase
package import TestMedia

/// Interval of a run. Counts are of this interval only.
package struct TimelinePoint: Sendable {
    /// Nanoseconds since the first subscriber joined.
    package var start: Int64
    package var end: Int64
    /// True if the interval ends after the ramp, in the measured time.
    package var isMeasured = false
    /// Subscriptions at the end of the interval.
    package var connected = 0
    package var failedJoins = 0
    package var sentPackets: UInt64 = 0
    /// UDP payload bytes.
    package var sentBytes: UInt64 = 0
    package var receivedPackets: UInt64 = 0
    package var receivedBytes: UInt64 = 0
    /// Missing packets at the end minus those at the start: below 0 if more arrived late than were lost.
    package var lost: Int64 = 0
    /// Frames that the sample decoded, and frame counters that it missed.
    package var framesDecoded: UInt64 = 0
    package var countersMissed: UInt64 = 0
    /// Freezes of the sample that ended, and their duration in nanoseconds.
    package var freezes: UInt64 = 0
    package var frozen: Int64 = 0
    /// Time from capture to decoding, in microseconds.
    package var latency = Distribution()
    /// Share of a core that the generator's busiest thread took, 0...1.
    package var busiestThread = 0.0

    package init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }

    /// Creates the point between two snapshots of a run, without latency and threads.
    /// - Parameter start: time at which the first subscriber joined.
    init(from last: LoadSnapshot, to now: LoadSnapshot, since start: Int64) {
        func grown(_ count: (LoadSnapshot) -> UInt64) -> UInt64 { count(now) - min(count(last), count(now)) }
        self.init(start: last.time - start, end: now.time - start)
        connected = now.present
        failedJoins = now.failedJoins - last.failedJoins
        sentPackets = grown { $0.sent.packets }
        sentBytes = grown { $0.sent.bytes }
        receivedPackets = grown { $0.received.packets }
        receivedBytes = grown { $0.received.bytes }
        lost = Int64(clamping: now.received.lost) - Int64(clamping: last.received.lost)
        framesDecoded = grown { $0.video.decoded }
        countersMissed = grown { $0.video.countersMissed }
        freezes = grown { $0.video.freezes }
        frozen = max(0, (now.video.frozen - last.video.frozen).rawValue)
    }

    /// Seconds, above 0.
    package var duration: Double { max(1e-3, Double(end - start) / 1e9) }

    /// Appends the next interval to this one.
    package mutating func append(_ next: TimelinePoint) {
        end = next.end
        isMeasured = next.isMeasured
        connected = next.connected
        failedJoins += next.failedJoins
        sentPackets += next.sentPackets
        sentBytes += next.sentBytes
        receivedPackets += next.receivedPackets
        receivedBytes += next.receivedBytes
        lost += next.lost
        framesDecoded += next.framesDecoded
        countersMissed += next.countersMissed
        freezes += next.freezes
        frozen += next.frozen
        latency.merge(next.latency)
        busiestThread = max(busiestThread, next.busiestThread)
    }
}
