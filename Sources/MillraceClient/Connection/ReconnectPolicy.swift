import MediaBase

/// When a client that lost its connection tries again: at once or nearly so at first, then ever less often, never many clients at
/// the same moment.
public struct ReconnectPolicy: Hashable, Sendable {
    /// Before the first attempt at most; drawn evenly from zero on. Of this and the next two a day at most counts.
    public var firstDelay: Duration
    /// What the second attempt's delay is drawn about; it doubles with each attempt.
    public var shortestDelay: Duration
    public var longestDelay: Duration
    /// Share of a delay that is drawn at random, 0...1: 0.5 makes 4 s of it 2 s to 4 s.
    public var jitter: Double
    /// From the loss on; then the session is over.
    public var giveUpAfter: Duration
    /// Joins the session anew, under a new connection id, where the relay does not know the old one any more.
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

    /// Does not come back by itself.
    public static var never: ReconnectPolicy { ReconnectPolicy(giveUpAfter: .zero, joinsAnew: false) }

    /// How long to wait before an attempt.
    /// - Parameter attempt: 1 is the first one after the loss.
    func delay(attempt: Int, using random: inout some RandomNumberGenerator) -> MediaTime {
        guard attempt > 1 else {
            return .nanoseconds(.random(in: 0...firstDelay.bounded.rawValue, using: &random))
        }
        let doubled = Double(shortestDelay.bounded.rawValue) * Double(1 << min(attempt - 2, 30))
        let longest = min(doubled, Double(max(shortestDelay, longestDelay).bounded.rawValue))
        let share = min(max(jitter, 0), 1)
        let shortest = longest * (1 - share)
        return .nanoseconds(Int64(.random(in: shortest...max(shortest, longest), using: &random)))
    }
}
