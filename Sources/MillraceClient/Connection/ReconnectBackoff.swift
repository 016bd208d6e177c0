import MediaBase

/// Progress of a reconnection: time of the loss, number of attempts, and time of the next one.
struct ReconnectBackoff {
    private let policy: ReconnectPolicy
    /// Time at which the connection was lost; nil while connected.
    private var lostAt: MediaTime?
    private var attempts = 0

    init(_ policy: ReconnectPolicy) { self.policy = policy }

    /// Whether the connection was lost and is not back yet.
    var isUnderWay: Bool { lostAt != nil }

    /// Begins a reconnection; has no effect if one is in progress.
    mutating func begin(now: MediaTime) {
        guard lostAt == nil else { return }
        lostAt = now
        attempts = 0
    }

    /// Ends the reconnection, because the connection is back or no longer wanted.
    mutating func end() {
        lostAt = nil
        attempts = 0
    }

    /// Counts another attempt.
    /// - Parameter retryAfter: delay requested by the relay, in seconds.
    /// - Returns: time of the attempt; nil if the client should give up.
    mutating func nextAttempt(
        retryAfter: Int? = nil, now: MediaTime, using random: inout some RandomNumberGenerator
    ) -> MediaTime? {
        attempts += 1
        let at = now + max(policy.delay(attempt: attempts, using: &random), .retryAfter(retryAfter))
        guard let lostAt, at - lostAt < MediaTime(policy.giveUpAfter) else { return nil }
        return at
    }
}
