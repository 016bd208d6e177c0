import MediaBase
import Testing

@Suite("Delays between tries") struct BackoffTests {
    @Test("Delays double up to the limit")
    func doubling() {
        let backoff = Backoff(first: .seconds(1), longest: .seconds(30))
        #expect((1...8).map { backoff.delay(failures: $0).seconds } == [1, 2, 4, 8, 16, 30, 30, 30])
        #expect(backoff.delay(failures: .max) == .seconds(30))
    }

    @Test("No number of failures is less than one", arguments: [0, -3, .min])
    func fewFailures(failures: Int) {
        #expect(Backoff(first: .milliseconds(7), longest: .seconds(1)).delay(failures: failures) == .milliseconds(7))
    }

    @Test(
        "The random factor lengthens or shortens each delay, which stays within the limit",
        arguments: [0.5...1, 1...1.25])
    func factor(factor: ClosedRange<Double>) {
        let backoff = Backoff(first: .seconds(1), longest: .seconds(8), factor: factor)
        var random = SplitMix64(seed: 3)
        for (failures, base) in [(1, 1.0), (2, 2), (3, 4), (4, 8), (40, 8)] {
            let delays = (0..<100).map { _ in backoff.delay(failures: failures, using: &random).seconds }
            let range = base * factor.lowerBound...min(base * factor.upperBound, 8)
            #expect(delays.allSatisfy(range.contains), "\(delays)")
            if range.lowerBound < range.upperBound { #expect(Set(delays).count > 90) }
        }
    }

    @Test("A limit below the first delay counts, and negative or endless times do not trap")
    func extremes() {
        #expect(Backoff(first: .seconds(9), longest: .seconds(2)).delay(failures: 1) == .seconds(2))
        #expect(Backoff(first: .seconds(-9), longest: .seconds(2)).delay(failures: 5) == .zero)
        #expect(Backoff(first: .seconds(1), longest: .seconds(-2)).delay(failures: 5) == .zero)
        #expect(Backoff(first: .never, longest: .never, factor: 1...9).delay(failures: 99) == .never)
    }
}
