import MediaBase

/// Signs of life on one connection: when the relay is to be sent a ping, and when it has been silent for so long that it counts as lost.
struct Liveness {
    private let interval: MediaTime
    private var nextPing = MediaTime.never
    private var silentAt = MediaTime.never

    /// - Parameter interval: between pings; within 100 ms and an hour, whatever is asked for.
    init(interval: MediaTime) { self.interval = min(max(interval, .milliseconds(100)), .seconds(3_600)) }

    /// The connection stands from now on.
    mutating func begin(now: MediaTime) {
        nextPing = now + interval
        heard(now: now)
    }

    /// The relay said something.
    mutating func heard(now: MediaTime) {
        // Two pings and a half without a word.
        silentAt = now + .nanoseconds(interval.rawValue / 2 * 5)
    }

    /// When there is a ping to send, or silence to notice; of use once it has begun.
    var deadline: MediaTime { min(nextPing, silentAt) }

    /// The relay counts as lost.
    func isSilent(now: MediaTime) -> Bool { silentAt <= now }

    /// - Returns: true where a ping is due now; the next one is due an interval later.
    mutating func takePing(now: MediaTime) -> Bool {
        guard nextPing <= now else { return false }
        nextPing = now + interval
        return true
    }
}
