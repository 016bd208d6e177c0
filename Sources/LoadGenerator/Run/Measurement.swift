/// The measured time of a run: what stood where at its ends.
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

    /// Seconds.
    var duration: Double { max(1e-3, Double(end.time - start.time) / 1e9) }
}
