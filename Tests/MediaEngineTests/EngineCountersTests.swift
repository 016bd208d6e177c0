import MediaBase
import MediaEngine
import Testing

@Suite("Counters")
struct EngineCountersTests {
    @Test("The sum includes every counter")
    func add() {
        var one = EngineCounters()
        // Sums through memory, so that a counter added later is included: everything before the histogram is a counter.
        let words = MemoryLayout<EngineCounters>.offset(of: \.delay)! / 8
        withUnsafeMutableBytes(of: &one) { raw in
            for i in 0..<words { raw.storeBytes(of: UInt64(i + 1), toByteOffset: i * 8, as: UInt64.self) }
        }
        one.delay.record(.microseconds(5), packets: 2)
        one.waiting.record(.microseconds(3), packets: 2)
        var sum = one
        sum.add(one)
        withUnsafeBytes(of: sum) { raw in
            for i in 0..<words { #expect(raw.load(fromByteOffset: i * 8, as: UInt64.self) == UInt64(2 * (i + 1))) }
        }
        #expect(sum.delay.total == 4 && sum.waiting.total == 4)
        let shown =
            sum.dropped.map(\.count) + sum.pathFailures.map(\.count) + sum.sendDropped.map(\.count)
            + sum.all.map(\.value) + sum.gauges.map(\.value)
        #expect(Set(shown).count == shown.count, "none twice")
        #expect(shown.count == words - 1, "all but the CPU time")
        #expect(
            Set(
                sum.dropped.map(\.cause) + sum.pathFailures.map(\.cause) + sum.sendDropped.map(\.cause)
                    + sum.all.map(\.name) + sum.gauges.map(\.name)
            )
            .count == shown.count)
    }
}
