import NIOConcurrencyHelpers

/// State of a run at one moment. Counts begin with the run, and include participants that have left.
struct LoadSnapshot: Sendable {
    /// Monotonic nanoseconds.
    var time: Int64
    /// Subscribers that are present.
    var present = 0
    var failedJoins = 0
    var sentPackets: UInt64 = 0
    /// UDP payload bytes.
    var sentBytes: UInt64 = 0
    var receivedPackets: UInt64 = 0
    var receivedBytes: UInt64 = 0
    /// Missing packets; fewer than before if some arrived late.
    var lost: UInt64 = 0
    /// Frames that the sample decoded, and frame counters that it missed.
    var framesDecoded: UInt64 = 0
    var countersMissed: UInt64 = 0
    /// Freezes of the sample that ended, and their duration in nanoseconds.
    var freezes: UInt64 = 0
    var frozen: Int64 = 0
    /// Usage of the relay at the start and the end of the measured period.
    var usage: RelayUsage?
}

/// Period of a run: the state at its start and its end.
struct Measurement: Sendable {
    var start: LoadSnapshot
    var end: LoadSnapshot

    /// Seconds, above 0.
    var duration: Double { max(1e-3, Double(end.time - start.time) / 1e9) }

    /// Returns the growth of a count.
    func growth(_ count: (LoadSnapshot) -> UInt64) -> UInt64 { count(end) - min(count(start), count(end)) }

    /// Returns the mean rate of a count a second.
    func rate(_ count: (LoadSnapshot) -> UInt64) -> Double { Double(growth(count)) / duration }
}

extension LoadRun {
    func snapshot() -> LoadSnapshot {
        let (totals, video) = (totals, decoder.totals.video)
        var snapshot = LoadSnapshot(time: LoadClock.now)
        (snapshot.present, snapshot.failedJoins) = roster.withLockedValue { ($0.present.count, $0.joins.failed) }
        snapshot.sentPackets = totals.sent.packets
        snapshot.sentBytes = totals.sent.bytes
        snapshot.receivedPackets = totals.received.packets
        snapshot.receivedBytes = totals.received.bytes
        snapshot.lost = totals.received.lost
        snapshot.framesDecoded = video.decoded
        snapshot.countersMissed = video.countersMissed
        snapshot.freezes = video.freezes
        snapshot.frozen = video.frozen.rawValue
        return snapshot
    }

    /// Sums over all participants so far.
    var totals: EndpointTotals {
        ([sender] + receivers).reduce(into: EndpointTotals()) { $0.add($1.totals) }
    }
}
