/// Measured period of a run: the state at its start and its end.
struct Measurement: Sendable {
    let start: LoadSnapshot
    let usage: RelayUsage?
    var end: LoadSnapshot
    var endUsage: RelayUsage?

    init(start: LoadSnapshot, usage: RelayUsage?) {
        self.start = start
        self.usage = usage
        end = start
        endUsage = usage
    }

    /// Duration in seconds.
    var duration: Double { max(1e-3, Double(end.time - start.time) / 1e9) }

    /// Returns the mean rate of a count a second.
    func rate(_ count: (LoadSnapshot) -> UInt64) -> Double { Double(count(end) - count(start)) / duration }
}
