import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

@Suite("Histogram of delays")
struct DelayHistogramTests {
    @Test("Quantiles are within an eighth of the exact values", arguments: [UInt64(1), 2, 3])
    func quantiles(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var histogram = DelayHistogram()
        var all: [Int64] = []
        for _ in 0..<5000 {
            let delay = Int64(random.below(1 << (1 + random.below(24)))) * 1000
            let packets = 1 + random.below(3)
            histogram.record(.nanoseconds(delay), packets: packets)
            all += Array(repeating: delay, count: packets)
        }
        all.sort()
        #expect(histogram.total == UInt64(all.count))
        #expect(
            histogram.sum == .nanoseconds(all.reduce(0, +)) && histogram.maximum == .nanoseconds(all[all.count - 1]))
        for quantile in [0.01, 0.5, 0.9, 0.99, 0.999, 1] {
            let exact = Double(all[max(0, Int((Double(all.count) * quantile).rounded(.up)) - 1)]) / 1000
            let found = Double(histogram.quantile(quantile).rawValue) / 1000
            #expect(found >= exact && found <= exact * 1.125 + 1.001, "\(quantile): \(found) for \(exact)")
        }
    }

    @Test("Extreme delays are counted in the first and the last bucket")
    func extremes() {
        var histogram = DelayHistogram()
        #expect(histogram.quantile(0.5) == .zero)
        for delay in [MediaTime.zero, .nanoseconds(-5), .nanoseconds(.min), .nanoseconds(.max), .seconds(100_000)] {
            histogram.record(delay, packets: 1)
        }
        #expect(histogram.counts[0] == 3 && histogram.counts[DelayHistogram.bucketCount - 1] == 2)
        #expect(histogram.quantile(1) > .seconds(60))
    }

    @Test("Counts below powers of two are exact", arguments: 3...28) func below(_ exponent: Int) {
        var histogram = DelayHistogram()
        let bound = Int64(1) << exponent
        for delay in [0, bound - 1, bound, bound + 1] { histogram.record(.microseconds(delay), packets: 1) }
        #expect(histogram.count(below: exponent) == 2)
    }

    @Test("Merged histograms add up")
    func merge() {
        var a = DelayHistogram()
        var b = DelayHistogram()
        a.record(.microseconds(10), packets: 3)
        b.record(.microseconds(500), packets: 1)
        a.merge(b)
        #expect(a.total == 4 && a.sum == .microseconds(530) && a.maximum == .microseconds(500))
        #expect(a.quantile(0.75) <= .microseconds(12) && a.quantile(1) == .microseconds(500))
    }
}
