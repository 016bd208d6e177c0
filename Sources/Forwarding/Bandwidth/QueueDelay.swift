/// How long packets wait in the path's queue: the delay of the latest over the shortest of the last 10 to 20 s. The clocks of both
/// ends need not agree; a drift of 100 ppm is 2 ms in that time.
struct QueueDelay {
    /// Microseconds.
    private static let window: Int64 = 10_000_000
    /// Longest delay that counts as a queue, microseconds. No queue holds packets for so long: a delay beyond it comes from the peer's
    /// clock, and its measurement restarts.
    static let longest: Int64 = 30_000_000

    private var shortest: Int64?
    private var shortestBefore: Int64?
    private var windowStart: Int64 = 0
    /// Shortest delay in the feedback at hand: what jitter adds is not queue.
    private var latest: Int64?

    /// Microseconds.
    private(set) var current: Int64 = 0
    /// As of the feedback before, microseconds.
    private(set) var before: Int64 = 0
    /// From sending by one clock to arrival by the other, of the latest packet, microseconds.
    private(set) var latestDelay: Int64?

    // While packets wait the path is never idle: how much came in which time is what it takes.
    private static let waiting: Int64 = 20_000
    private static let longestSilence: Int64 = 500_000
    /// What is older counts for half.
    private static let remembered: Int64 = 300_000
    private static let enoughTime: Int64 = 60_000
    private static let enoughPackets = 3
    private var waitedBytes = 0
    private var waitedPackets = 0
    private var waitedFor: Int64 = 0
    private var lastWaited: Int64?

    /// Bits a second that come while packets wait; nil: they do not, or not for long enough.
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

    /// At the end of one feedback.
    mutating func settle() {
        guard let latest, let shortest else { return }
        self.latest = nil
        let waited = max(0, latest - min(shortest, shortestBefore ?? shortest))
        guard waited <= Self.longest else { return rebase() }
        before = current
        current = waited
    }

    /// The peer's clock jumped: nothing measured so far compares with what comes.
    mutating func restart() {
        rebase()
        latest = nil
        latestDelay = nil
    }

    /// The delay did not come down though little was sent: the path is longer than it was.
    mutating func rebase() {
        shortest = nil
        shortestBefore = nil
        current = 0
        before = 0
        lastWaited = nil
    }
}
