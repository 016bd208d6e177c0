/// How long packets wait in the path's queue: the delay of the latest over the shortest of the last 10 to 20 s. The clocks of both
/// ends need not agree; a drift of 100 ppm is 2 ms in that time.
struct QueueDelay {
    /// Microseconds.
    private static let window: Int64 = 10_000_000

    private var shortest: Int64?
    private var shortestBefore: Int64?
    private var windowStart: Int64 = 0
    /// Shortest delay in the feedback at hand: what jitter adds is not queue.
    private var latest: Int64?

    /// Microseconds.
    private(set) var current: Int64 = 0
    /// From sending by one clock to arrival by the other, of the latest packet, microseconds.
    private(set) var latestDelay: Int64?

    mutating func add(_ packet: Acknowledgement) {
        let delay = packet.arrival - packet.sent
        latest = min(latest ?? delay, delay)
        latestDelay = delay
        guard let shortest else {
            self.shortest = delay
            windowStart = packet.sent
            return
        }
        if packet.sent - windowStart > Self.window {
            shortestBefore = shortest
            self.shortest = delay
            windowStart = packet.sent
        } else {
            self.shortest = min(shortest, delay)
        }
    }

    /// At the end of one feedback.
    mutating func settle() {
        guard let latest, let shortest else { return }
        current = max(0, latest - min(shortest, shortestBefore ?? shortest))
        self.latest = nil
    }

    /// The delay did not come down though little was sent: the path is longer than it was.
    mutating func rebase() {
        shortest = nil
        shortestBefore = nil
        current = 0
    }
}
