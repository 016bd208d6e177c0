import MediaBase

/// The way back after a loss: since when it lasts, how many attempts it took, and when the next one is due.
struct ReconnectBackoff {
    private let policy: ReconnectPolicy
    /// When the connection was lost; nil while it stands.
    private var lostAt: MediaTime?
    private var attempts = 0

    init(_ policy: ReconnectPolicy) { self.policy = policy }

    /// The connection was lost, and is not back yet.
    var isUnderWay: Bool { lostAt != nil }

    /// The connection is lost; nothing new where it is already.
    mutating func begin(now: MediaTime) {
        guard lostAt == nil else { return }
        lostAt = now
        attempts = 0
    }

    /// The connection is back, or nobody wants it any more.
    mutating func end() {
        lostAt = nil
        attempts = 0
    }

    /// Counts another attempt.
    /// - Parameter retryAfter: seconds, as the relay said.
    /// - Returns: when it is to be made; nil where it is time to give up.
    mutating func nextAttempt(
        retryAfter: Int? = nil, now: MediaTime, using random: inout some RandomNumberGenerator
    ) -> MediaTime? {
        attempts += 1
        let at = now + max(policy.delay(attempt: attempts, using: &random), .retryAfter(retryAfter))
        guard let lostAt, at - lostAt < MediaTime(policy.giveUpAfter) else { return nil }
        return at
    }
}
