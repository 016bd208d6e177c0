import MediaBase

/// Keep-alive timers of one connection: the next ping, and the time at which a silent relay counts as lost.
struct Liveness {
    private let interval: MediaTime
    private var nextPing = MediaTime.never
    private var silentAt = MediaTime.never

    /// - Parameter interval: time between pings, clamped to 100 ms ... 1 h.
    init(interval: MediaTime) { self.interval = min(max(interval, .milliseconds(100)), .seconds(3_600)) }

    /// Starts the timers when the connection opens.
    mutating func begin(now: MediaTime) {
        nextPing = now + interval
        heard(now: now)
    }

    /// Restarts the silence timer after a message from the relay.
    mutating func heard(now: MediaTime) {
        // Two and a half ping intervals.
        silentAt = now + .nanoseconds(interval.rawValue / 2 * 5)
    }

    /// Time of the next ping or of the silence timeout; meaningful only after `begin`.
    var deadline: MediaTime { min(nextPing, silentAt) }

    /// Returns whether the relay counts as lost.
    func isSilent(now: MediaTime) -> Bool { silentAt <= now }

    /// - Returns: true if a ping is due now; the next one is due one interval later.
    mutating func takePing(now: MediaTime) -> Bool {
        guard nextPing <= now else { return false }
        nextPing = now + interval
        return true
    }
}
