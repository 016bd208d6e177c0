/// State of a run at one moment.
struct LoadSnapshot: Sendable {
    /// Monotonic nanoseconds.
    let time: Int64
    let sent: SendStatistics
    let received: ReceptionStatistics
    let present: Int
}
