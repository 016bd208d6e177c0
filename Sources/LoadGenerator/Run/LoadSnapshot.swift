/// What stood where at one moment of a run.
struct LoadSnapshot: Sendable {
    /// Monotonic nanoseconds.
    let time: Int64
    let sent: SendStatistics
    let received: ReceptionStatistics
    let present: Int
}
