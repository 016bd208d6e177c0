import MediaBase

extension TimelinePoint {
    /// Creates the point between two snapshots of a run.
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
}
