/// Order to a `StampedSinkCommand`.
struct StampedSinkOrder: Codable {
    var suite: String
    var key: String
    /// Packets of the first seconds do not count in the delays.
    var warmUp: Double
}

/// Packets of one subscriber.
struct StampedSinkReport: Codable {
    var packets = 0
    /// Sequence numbers between the first and the last one of each stream of which no packet arrived.
    var missing = 0
    var unauthentic = 0
    /// Time from the publisher to the subscriber's program, in microseconds.
    var delayP50 = 0.0
    var delayP99 = 0.0
}
