import MediaBase
import MillraceTestKit
import Testing

@testable import MillraceClient

@Suite("The way back") struct ReconnectBackoffTests {
    /// Nothing is drawn: 0, then 1 s, 2 s, 4 s, 8 s, 8 s...
    private static let policy = ReconnectPolicy(
        firstDelay: .zero, shortestDelay: .seconds(1), longestDelay: .seconds(8), jitter: 0, giveUpAfter: .seconds(60))

    @Test("CON-3 attempts count from the loss, and begin anew after the return") func counts() {
        var random = SeededGenerator(seed: 1)
        var backoff = ReconnectBackoff(Self.policy)
        let lost = MediaTime.seconds(5)
        #expect(!backoff.isUnderWay)
        backoff.begin(now: lost)
        #expect(backoff.isUnderWay)
        let delays = (0..<6).map { _ -> Double in
            // Each attempt that fails is a loss again, which changes nothing.
            backoff.begin(now: lost)
            return backoff.nextAttempt(now: lost, using: &random).map { ($0 - lost).seconds } ?? -1
        }
        #expect(delays == [0, 1, 2, 4, 8, 8])
        backoff.end()
        #expect(!backoff.isUnderWay)
        backoff.begin(now: lost)
        let next = backoff.nextAttempt(now: lost, using: &random)
        #expect(next == lost)
    }

    @Test("CON-3 it is over where the next attempt would come too late") func givesUp() {
        var random = SeededGenerator(seed: 1)
        var backoff = ReconnectBackoff(Self.policy)
        backoff.begin(now: .zero)
        // The first comes at once, the second a second later.
        let inTime = backoff.nextAttempt(now: .milliseconds(59_999), using: &random)
        let late = backoff.nextAttempt(now: .milliseconds(59_000), using: &random)
        #expect(inTime == .milliseconds(59_999))
        #expect(late == nil)
    }

    @Test("CON-6 not before the relay said, but within an hour") func retryAfter() {
        var random = SeededGenerator(seed: 1)
        var policy = Self.policy
        policy.giveUpAfter = .seconds(86_400)
        var backoff = ReconnectBackoff(policy)
        backoff.begin(now: .zero)
        let waits = [20, -7, Int.max, 1].map { said -> Double in
            backoff.nextAttempt(retryAfter: said, now: .zero, using: &random)?.seconds ?? -1
        }
        #expect(waits == [20, 1, 3_600, 4])
    }

    @Test func withoutALossThereIsNoWayBack() {
        var random = SeededGenerator(seed: 1)
        var backoff = ReconnectBackoff(Self.policy)
        let next = backoff.nextAttempt(now: .zero, using: &random)
        #expect(next == nil)
    }
}
