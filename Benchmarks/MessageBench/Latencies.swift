/// Times of many calls, in milliseconds.
struct Latencies: Encodable {
    var p50: Double
    var p99: Double
    var max: Double

    /// - Parameter nanoseconds: durations, at least one.
    init(nanoseconds: [UInt64]) {
        let sorted = nanoseconds.sorted()
        func at(_ share: Double) -> Double {
            Double(sorted[Swift.min(Int(Double(sorted.count) * share), sorted.count - 1)]) / 1e6
        }
        p50 = at(0.5)
        p99 = at(0.99)
        max = at(1)
    }
}
