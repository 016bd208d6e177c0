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

    var sent: SendStatistics { totals.sent }
    var received: ReceptionStatistics { totals.received }
}
