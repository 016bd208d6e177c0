import TestMedia
import Testing

@Suite struct DistributionTests {
    @Test func percentilesOfOneToAThousand() {
        var distribution = Distribution()
        for value in (1...1_000).shuffled() { distribution.record(Int64(value)) }
        #expect(distribution.count == 1_000)
        #expect(distribution.minimum == 1)
        #expect(distribution.maximum == 1_000)
        #expect(distribution.mean == 500.5)
        for share in [0.01, 0.25, 0.5, 0.9, 0.99] {
            let value = Double(distribution.percentile(share))
            #expect(abs(value - share * 1_000) <= max(1, share * 1_000 * 0.016), "\(share): \(value)")
        }
        #expect(distribution.percentile(1) == 1_000)
    }

    @Test func smallValuesAreExact() {
        var distribution = Distribution()
        for value in [3, 1, 2, 63] { distribution.record(Int64(value)) }
        #expect(distribution.percentile(0.5) == 2)
        #expect(distribution.percentile(0.75) == 3)
        #expect(distribution.percentile(0.76) == 63)
    }

    @Test(arguments: [64, 65, 127, 128, 1_000_000, 123_456_789_012, Int64.max])
    func oneValueIsItself(value: Int64) {
        var distribution = Distribution()
        distribution.record(value)
        #expect(distribution.percentile(0.5) == value)
        #expect(distribution.percentile(0) == value)
    }

    @Test func nothingAndNegativeValuesDoNoHarm() {
        var distribution = Distribution()
        #expect(distribution.percentile(0.99) == 0)
        #expect(distribution.mean == 0)
        distribution.record(-5)
        #expect(distribution.maximum == 0)
    }

    @Test func mergingIsRecordingBoth() {
        var (a, b, both) = (Distribution(), Distribution(), Distribution())
        for value in 0..<500 as Range<Int64> {
            a.record(value * 7)
            b.record(value * 7_001)
            both.record(value * 7)
            both.record(value * 7_001)
        }
        a.merge(b)
        a.merge(Distribution())
        for share in [0.1, 0.5, 0.99, 1] { #expect(a.percentile(share) == both.percentile(share)) }
        #expect(a.count == both.count)
        #expect(a.minimum == both.minimum)
        #expect(a.mean == both.mean)
    }
}
