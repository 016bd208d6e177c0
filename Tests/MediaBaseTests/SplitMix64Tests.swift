import MediaBase
import Testing

@Suite("Deterministic random numbers") struct SplitMix64Tests {
    @Test("A seed gives the numbers of the reference implementation")
    func reference() {
        var numbers = SplitMix64(seed: 0)
        #expect(
            (0..<3).map { _ in numbers.next() } == [
                0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f,
            ])
    }

    @Test("Seeds near each other give different numbers; the same seed gives the same ones")
    func seeds() {
        func numbers(_ seed: UInt64) -> [UInt64] {
            var generator = SplitMix64(seed: seed)
            return (0..<100).map { _ in generator.next() }
        }
        #expect(numbers(7) == numbers(7))
        #expect(Set((0...9).flatMap { numbers($0) }).count == 1_000)
    }
}
