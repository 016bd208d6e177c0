/// A receiver with its own estimate, which it reports by REMB: at most 1.5 times the incoming rate, less when the queue grows.
struct RemoteEstimator {
    private var estimate = 300_000.0
    private var arrivals: [(at: Double, bytes: Int)] = []
    private var queue = 0.0
    private var nextReport = 500.0

    mutating func receive(bytes: Int, queue: Double, now: Double) {
        arrivals.append((now, bytes))
        self.queue = queue
    }

    /// Returns the rate to report twice a second, in bits a second.
    mutating func take(now: Double) -> Double? {
        guard now >= nextReport else { return nil }
        nextReport += 500
        arrivals.removeAll { $0.at < now - 1_000 }
        let incoming = Double(arrivals.reduce(0) { $0 + $1.bytes }) * 8
        estimate =
            queue > 60 ? min(estimate, 0.85 * incoming) : max(estimate, min(estimate * 1.2, 1.5 * incoming + 10_000))
        return estimate
    }
}
