import MediaBase
import MillraceTestKit
import Testing

@testable import MillraceClient

@Suite("Reconnect backoff") struct ReconnectBackoffTests {
    /// Policy without jitter: delays of 0, then 1 s, 2 s, 4 s, 8 s, 8 s...
    private static let policy = ReconnectPolicy(
        firstDelay: .zero, shortestDelay: .seconds(1), longestDelay: .seconds(8), jitter: 0, giveUpAfter: .seconds(60))

    @Test("CON-3 delays count from the loss, and start over after a successful reconnect") func counts() {
        var random = SeededGenerator(seed: 1)
        var backoff = ReconnectBackoff(Self.policy)
        let lost = MediaTime.seconds(5)
        #expect(!backoff.isUnderWay)
        backoff.begin(now: lost)
        #expect(backoff.isUnderWay)
        let delays = (0..<6).map { _ -> Double in
            // Each failed attempt reports the loss again, which must not restart the backoff.
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

    @Test("CON-3 reconnecting ends if the next attempt would come after the time limit") func givesUp() {
        var random = SeededGenerator(seed: 1)
        var backoff = ReconnectBackoff(Self.policy)
        backoff.begin(now: .zero)
        // The first attempt is immediate, the second follows after 1 s.
        let inTime = backoff.nextAttempt(now: .milliseconds(59_999), using: &random)
        let late = backoff.nextAttempt(now: .milliseconds(59_000), using: &random)
        #expect(inTime == .milliseconds(59_999))
        #expect(late == nil)
    }

    @Test("CON-6 no attempt is made before the relay's retry-after time, which is limited to one hour")
    func retryAfter() {
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
