/// Queuing delay of the path: the delay of the latest packets minus the shortest delay of the last 10 to 20 s. The clocks of both ends need
/// not agree; a drift of 100 ppm is 2 ms in that time.
struct QueueDelay {
    /// Length of the window of the shortest delay, in microseconds.
    private static let window: Int64 = 10_000_000
    /// Longest delay that counts as a queue, microseconds. No queue holds packets for so long: a delay beyond it comes from the peer's
    /// clock, and its measurement restarts.
    static let longest: Int64 = 30_000_000

    private var shortest: Int64?
    private var shortestBefore: Int64?
    private var windowStart: Int64 = 0
    /// Shortest delay in the current feedback. Delay added by jitter is not queuing.
    private var latest: Int64?

    /// Current queuing delay in microseconds.
    private(set) var current: Int64 = 0
    /// Queuing delay at the previous feedback, in microseconds.
    private(set) var before: Int64 = 0
    /// Time from sending (relay's clock) to arrival (peer's clock) of the latest packet, in microseconds.
    private(set) var latestDelay: Int64?

    // While packets queue, the path is never idle, so the rate of arrivals is its capacity.
    private static let waiting: Int64 = 20_000
    private static let longestSilence: Int64 = 500_000
    /// Measured time in microseconds after which the sums are halved, so that older packets count less.
    private static let remembered: Int64 = 300_000
    private static let enoughTime: Int64 = 60_000
    private static let enoughPackets = 3
    private var waitedBytes = 0
    private var waitedPackets = 0
    private var waitedFor: Int64 = 0
    private var lastWaited: Int64?

    /// Rate of arrivals in bits per second while packets queue; nil if they do not queue, or not for long enough.
    var bitsPerSecond: Double? {
        guard waitedPackets >= Self.enoughPackets, waitedFor >= Self.enoughTime else { return nil }
        return Double(waitedBytes) * 8e6 / Double(waitedFor)
    }

    mutating func add(_ packet: Acknowledgement) {
        let delay = packet.arrival - packet.sent
        if let shortest { measure(packet, waited: delay - min(shortest, shortestBefore ?? shortest)) }
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

    private mutating func measure(_ packet: Acknowledgement, waited: Int64) {
        guard waited > Self.waiting, let last = lastWaited, packet.arrival - last < Self.longestSilence else {
            waitedBytes = 0
            waitedPackets = 0
            waitedFor = 0
            lastWaited = waited > Self.waiting ? packet.arrival : nil
            return
        }
        waitedBytes += packet.bytes
        waitedPackets += 1
        waitedFor += max(0, packet.arrival - last)
        lastWaited = max(last, packet.arrival)
        if waitedFor > Self.remembered {
            waitedBytes /= 2
            waitedFor /= 2
        }
    }

    /// Updates the queuing delay at the end of one feedback.
    mutating func settle() {
        guard let latest, let shortest else { return }
        self.latest = nil
        let waited = max(0, latest - min(shortest, shortestBefore ?? shortest))
        guard waited <= Self.longest else { return rebase() }
        before = current
        current = waited
    }

    /// Restarts the measurement after the peer's clock jumped, because later delays cannot be compared with earlier ones.
    mutating func restart() {
        rebase()
        latest = nil
        latestDelay = nil
    }

    /// Discards the shortest delay. Called if the delay stayed high although little was sent: the path has become longer.
    mutating func rebase() {
        shortest = nil
        shortestBefore = nil
        current = 0
        before = 0
        lastWaited = nil
    }
}
