import Testing

@testable import LoadGenerator

@Suite struct LossPatternTests {
    @Test(arguments: [0.01, 0.05, 0.3])
    func dropsItsShareEvenly(share: Double) {
        let pattern = LossPattern(share: share, seed: 42)
        let dropped = (0..<100_000 as Range<UInt64>).count { pattern.drops(stream: 7, packet: $0) }
        #expect(abs(Double(dropped) / 100_000 - share) < 0.01)
    }

    @Test func theSameSeedDropsTheSamePackets() {
        let (a, b) = (LossPattern(share: 0.1, seed: 3), LossPattern(share: 0.1, seed: 3))
        #expect(
            (0..<10_000 as Range<UInt64>).allSatisfy {
                a.drops(stream: 1, packet: $0) == b.drops(stream: 1, packet: $0)
            })
    }

    @Test func otherSeedsAndStreamsDropOthers() {
        let pattern = LossPattern(share: 0.5, seed: 3)
        let other = LossPattern(share: 0.5, seed: 4)
        let packets = 0..<10_000 as Range<UInt64>
        let sameSeed = packets.count { pattern.drops(stream: 1, packet: $0) == pattern.drops(stream: 2, packet: $0) }
        let sameStream = packets.count { pattern.drops(stream: 1, packet: $0) == other.drops(stream: 1, packet: $0) }
        #expect((4_700...5_300).contains(sameSeed))
        #expect((4_700...5_300).contains(sameStream))
    }

    @Test func noLossDropsNothing() {
        let pattern = LossPattern(share: 0, seed: 1)
        #expect(!(0..<10_000 as Range<UInt64>).contains { pattern.drops(stream: 1, packet: $0) })
    }
}
