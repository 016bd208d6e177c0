import RTP
import Testing

@Suite struct SequenceStatisticsTests {
    @Test(arguments: [0, 1, 32_767, 32_768, 65_500, 65_535] as [UInt16])
    func aWholeRunLosesNothingWhereverItBegins(start: UInt16) {
        var statistics = SequenceStatistics()
        #expect(statistics.record(start) == .first)
        for i in 1..<200_000 { #expect(statistics.record(start &+ UInt16(truncatingIfNeeded: i)) == .next) }
        #expect(statistics.expected == 200_000)
        #expect(statistics.received == 200_000)
        #expect(statistics.lost == 0)
        #expect(statistics.restarts == 0)
    }

    @Test func aGapAcrossTheWrapIsLoss() {
        var statistics = SequenceStatistics()
        _ = statistics.record(65_534)
        #expect(statistics.record(2) == .gap(3))
        #expect(statistics.lost == 3)
        #expect(statistics.extended(65_535) + 1 == statistics.extended(0))
        #expect(statistics.extended(2) == statistics.highest)
        #expect(statistics.record(0) == .late)
        #expect(statistics.lost == 2)
        #expect(statistics.reordered == 1)
    }

    @Test func aRepeatedPacketIsNoGain() {
        var statistics = SequenceStatistics()
        for number: UInt16 in [10, 11, 13] { _ = statistics.record(number) }
        #expect(statistics.record(11) == .duplicate)
        #expect(statistics.record(13) == .duplicate)
        #expect(statistics.lost == 1)
        #expect(statistics.duplicates == 2)
        #expect(statistics.received == 3)
    }

    @Test func aPacketBeforeTheFirstIsExpectedFromThenOn() {
        var statistics = SequenceStatistics()
        _ = statistics.record(1)
        #expect(statistics.record(0) == .late)
        #expect(statistics.record(65_535) == .late)
        #expect(statistics.expected == 3)
        #expect(statistics.lost == 0)
    }

    @Test func aJumpIsANewBeginning() {
        var statistics = SequenceStatistics()
        for number in 0..<100 as Range<UInt16> { _ = statistics.record(number) }
        #expect(statistics.record(20_000) == .restart)
        #expect(statistics.record(20_001) == .next)
        #expect(statistics.restarts == 1)
        #expect(statistics.expected == 102)
        #expect(statistics.lost == 0)
    }

    @Test func lossesOlderThanTheWindowStayLost() {
        var statistics = SequenceStatistics()
        _ = statistics.record(0)
        for number in 2..<2_000 as Range<UInt16> { _ = statistics.record(number) }
        #expect(statistics.record(1) == .stale)
        #expect(statistics.lost == 1)
    }

    @Test func nothingIsExpectedOfNothing() {
        #expect(SequenceStatistics().expected == 0)
        #expect(SequenceStatistics().lost == 0)
    }
}
