/// Delays between tries of something that fails: they double with each failure up to a limit. A random factor keeps callers that fail at the
/// same moment from trying again at the same moment. Reads no clock and counts nothing: the caller counts the failures.
package struct Backoff: Sendable, Hashable {
    /// Delay after the first failure.
    package var first: MediaTime
    /// Maximum delay, also after the random factor.
    package var longest: MediaTime
    /// Range of the random factor; 1...1: none.
    package var factor: ClosedRange<Double>

    /// Doublings after which a delay stays the same even without a limit: 2^30 is more than any ratio of two limits.
    private static let mostDoublings = 30

    package init(first: MediaTime, longest: MediaTime, factor: ClosedRange<Double> = 1...1) {
        self.first = first
        self.longest = longest
        self.factor = factor
    }

    /// Returns the delay after a number of failures in a row; not negative.
    package func delay(failures: Int, using random: inout some RandomNumberGenerator) -> MediaTime {
        let doublings = min(max(failures, 1) - 1, Self.mostDoublings)
        let limit = Double(max(longest, .zero).rawValue)
        let doubled = min(Double(max(first, .zero).rawValue) * Double(1 << doublings), limit)
        return .nanoseconds(Int64(saturating: min(doubled * .random(in: factor, using: &random), limit)))
    }

    /// Returns the delay after a number of failures in a row, without a random factor.
    package func delay(failures: Int) -> MediaTime {
        var same = SplitMix64(seed: 0)
        return Backoff(first: first, longest: longest).delay(failures: failures, using: &same)
    }
}
