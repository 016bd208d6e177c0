import MediaBase

/// Time between attempts to connect to the database, which grows while they fail.
struct ReconnectDelay {
    static let minimum = MediaTime.milliseconds(100)
    /// Part of a lease, so that a relay keeps its sessions if the database is back in time.
    static let maximum = MediaTime.seconds(1)

    private var delay = MediaTime.zero
    private var end: MediaTime?

    /// Returns whether the next attempt may begin.
    func isOver(_ now: MediaTime) -> Bool { end.map { now >= $0 } ?? true }

    mutating func noteFailure(_ now: MediaTime) {
        delay = min(Self.maximum, max(Self.minimum, delay + delay))
        end = now + delay
    }

    mutating func noteSuccess() { self = ReconnectDelay() }
}
