import MediaBase

/// Timing of reconnection attempts: the first one follows almost at once, later ones at growing intervals. Random jitter keeps
/// many clients from reconnecting at the same moment.
public struct ReconnectPolicy: Hashable, Sendable {
    /// Upper bound of the delay before the first attempt, which is uniformly random from zero. This and the next two delays are
    /// limited to one day.
    public var firstDelay: Duration
    /// Upper bound of the second attempt's delay; it doubles with each attempt up to `longestDelay`.
    public var shortestDelay: Duration
    /// Upper bound of all delays after the first attempt.
    public var longestDelay: Duration
    /// Random fraction of a delay, 0...1: with 0.5, a delay of 4 s becomes 2 s to 4 s. NaN counts as 0.
    public var jitter: Double
    /// Time after the loss at which the client gives up and the session ends.
    public var giveUpAfter: Duration
    /// Whether the client joins the session again, under a new connection id, if the relay no longer knows the old connection.
    public var joinsAnew: Bool

    public init(
        firstDelay: Duration = .milliseconds(200), shortestDelay: Duration = .milliseconds(500),
        longestDelay: Duration = .seconds(5), jitter: Double = 0.5, giveUpAfter: Duration = .seconds(120),
        joinsAnew: Bool = true
    ) {
        self.firstDelay = firstDelay
        self.shortestDelay = shortestDelay
        self.longestDelay = longestDelay
        self.jitter = jitter
        self.giveUpAfter = giveUpAfter
        self.joinsAnew = joinsAnew
    }

    /// Policy without automatic reconnection.
    public static var never: ReconnectPolicy { ReconnectPolicy(giveUpAfter: .zero, joinsAnew: false) }

    /// Returns the delay before an attempt.
    /// - Parameter attempt: number of the attempt since the loss, from 1.
    func delay(attempt: Int, using random: inout some RandomNumberGenerator) -> MediaTime {
        guard attempt > 1 else {
            return .nanoseconds(.random(in: 0...firstDelay.bounded.rawValue, using: &random))
        }
        let share = jitter > 0 ? min(jitter, 1) : 0
        return Backoff(
            first: shortestDelay.bounded, longest: max(shortestDelay, longestDelay).bounded, factor: 1 - share...1
        ).delay(failures: attempt - 1, using: &random)
    }
}
