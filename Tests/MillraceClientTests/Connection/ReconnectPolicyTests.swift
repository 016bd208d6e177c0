import MediaBase
import MillraceTestKit
import Testing

@testable import MillraceClient

@Suite("Reconnect policy") struct ReconnectPolicyTests {
    @Test("CON-3 delays grow to their limit, with random jitter") func delays() {
        var random = SeededGenerator(seed: 7)
        let policy = ReconnectPolicy()
        for _ in 0..<200 {
            let first = policy.delay(attempt: 1, using: &random)
            #expect(first >= .zero && first <= MediaTime(policy.firstDelay))
            for (attempt, longest) in [(2, 500), (3, 1_000), (4, 2_000), (5, 4_000), (6, 5_000), (60, 5_000)] {
                let delay = policy.delay(attempt: attempt, using: &random)
                #expect(delay <= .milliseconds(Int64(longest)))
                #expect(delay >= .milliseconds(Int64(longest) / 2))
            }
        }
        let drawn = Set((0..<20).map { _ in policy.delay(attempt: 4, using: &random) })
        #expect(drawn.count > 15)
    }

    @Test func oddPoliciesDoNotTrap() {
        var random = SeededGenerator(seed: 7)
        let odd = ReconnectPolicy(
            firstDelay: .seconds(-1), shortestDelay: .seconds(-5), longestDelay: .seconds(-9), jitter: 7)
        for attempt in [-3, 0, 1, 2, 1_000_000] {
            let delay = odd.delay(attempt: attempt, using: &random)
            #expect(delay == .zero)
        }
    }

    @Test("A jitter that is not a number is none") func undefinedJitter() {
        var random = SeededGenerator(seed: 7)
        let delay = ReconnectPolicy(shortestDelay: .seconds(1), jitter: .nan).delay(attempt: 2, using: &random)
        #expect(delay == .seconds(1))
    }

    @Test func delaysThatNeverEndAreADay() {
        var random = SeededGenerator(seed: 7)
        let odd = ReconnectPolicy(
            firstDelay: .seconds(Int64.max), shortestDelay: .seconds(Int64.max), longestDelay: .seconds(Int64.max),
            jitter: 0)
        for attempt in [1, 2, 1_000_000] {
            let delay = odd.delay(attempt: attempt, using: &random)
            #expect(delay >= .zero && delay <= .seconds(86_400))
        }
    }

    @Test func neverDoesNotComeBack() {
        var configuration = SessionConfiguration()
        configuration.reconnect = .never
        var bench = MachineBench(configuration)
        bench.enter()
        bench.cut()
        #expect(bench.machine.status == .failed)
        #expect(bench.events.last == .didDisconnect(.networkLost))
    }
}
