import NIOConcurrencyHelpers
import TestMedia

/// State of a run at one moment.
struct LoadSnapshot: Sendable {
    /// Monotonic nanoseconds.
    let time: Int64
    /// Sums so far, including those of participants that have left.
    let totals: EndpointTotals
    let failedJoins: Int
    /// Video of the decoded sample.
    let video: VideoStatistics
    /// Subscribers that are present.
    let present: Int
    /// Usage of the relay at the start and the end of the measured period.
    var usage: RelayUsage?

    var sent: SendStatistics { totals.sent }
    var received: ReceptionStatistics { totals.received }
}

/// Measured period of a run: the state at its start and its end.
struct Measurement: Sendable {
    let start: LoadSnapshot
    let end: LoadSnapshot

    /// Duration in seconds.
    var duration: Double { max(1e-3, Double(end.time - start.time) / 1e9) }

    /// Returns the mean rate of a count a second.
    func rate(_ count: (LoadSnapshot) -> UInt64) -> Double { Double(count(end) - count(start)) / duration }
}

extension LoadRun {
    func snapshot() -> LoadSnapshot {
        let (failedJoins, present) = roster.withLockedValue { ($0.joins.failed, $0.present.count) }
        return LoadSnapshot(
            time: LoadClock.now, totals: totals, failedJoins: failedJoins, video: decoder.totals.video,
            present: present)
    }

    /// Sums over all participants so far.
    var totals: EndpointTotals {
        ([sender] + receivers).reduce(into: EndpointTotals()) { $0.add($1.totals) }
    }
}
