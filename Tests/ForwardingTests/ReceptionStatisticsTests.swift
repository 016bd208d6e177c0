import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Reception statistics (RFC 3550 sections 6.4.1, A.3 and A.8)")
struct ReceptionStatisticsTests {
    static let source = SSRC(5)

    static func block(_ statistics: inout ReceptionStatistics, now: MediaTime = .zero) -> ReportBlock? {
        statistics.reportBlock(source: source, clock: SenderClock(clockRate: 90_000), now: now)
    }

    static func receive(_ sequences: some Sequence<Int64>, into statistics: inout ReceptionStatistics) {
        for sequence in sequences {
            statistics.receive(sequence: sequence, timestamp: RTPTimestamp(0), now: .zero)
        }
    }

    @Test func nothingToReportBeforeTheFirstPacket() {
        var statistics = ReceptionStatistics(clockRate: 90_000)
        let block = Self.block(&statistics)
        #expect(block == nil && statistics.cumulativeLost == 0)
    }

    @Test(
        "Section A.3: fractions count from report to report",
        arguments: [0, 32_767, 32_768, 65_535, 1 << 35] as [Int64])
    func fractions(first: Int64) throws {
        var statistics = ReceptionStatistics(clockRate: 90_000)
        Self.receive((first..<(first + 100)).filter { ($0 - first) % 4 != 1 }, into: &statistics)
        let quarterReport = Self.block(&statistics)
        let quarter = try #require(quarterReport)
        #expect(quarter.fractionLost == 64 && quarter.cumulativeLost == 25)
        #expect(quarter.highestSequence == UInt32(truncatingIfNeeded: first + 99))
        let idleReport = Self.block(&statistics)
        let idle = try #require(idleReport)
        #expect(idle.fractionLost == 0 && idle.cumulativeLost == 25)
        Self.receive((first + 100)..<(first + 200), into: &statistics)
        let noneReport = Self.block(&statistics)
        let none = try #require(noneReport)
        #expect(none.fractionLost == 0 && none.cumulativeLost == 25)
        #expect(none.source == Self.source && none.lastSenderReport == 0 && none.delaySinceLastSenderReport == 0)
    }

    @Test func duplicatesMakeTheLossNegative() throws {
        var statistics = ReceptionStatistics(clockRate: 90_000)
        Self.receive([1, 2, 3, 3, 3, 2], into: &statistics)
        let blockReport = Self.block(&statistics)
        let block = try #require(blockReport)
        #expect(block.cumulativeLost == -3 && block.fractionLost == 0)
    }

    @Test func aLossOfAllButTheEndsIsNearlyAll() throws {
        var statistics = ReceptionStatistics(clockRate: 90_000)
        Self.receive([0, 20_000_000], into: &statistics)
        let blockReport = Self.block(&statistics)
        let block = try #require(blockReport)
        #expect(block.fractionLost == 255)
        #expect(block.cumulativeLost == 0x7f_ffff)
    }

    @Test("Section A.8: a stream in step has no jitter, while timestamps wrap", arguments: [48_000, 90_000])
    func noJitter(clockRate: Int) {
        var statistics = ReceptionStatistics(clockRate: clockRate)
        for index in 0..<500 as Range<Int64> {
            statistics.receive(
                sequence: index,
                timestamp: RTPTimestamp(0xffff_f000 &+ UInt32(truncatingIfNeeded: index * Int64(clockRate) / 50)),
                now: .milliseconds(1_000 + index * 20))
        }
        #expect(statistics.jitterTicks == 0)
    }

    @Test("Section A.8: the estimate approaches the mean deviation") func jitter() {
        var statistics = ReceptionStatistics(clockRate: 90_000)
        // Every second packet is 4 ms late, so each differs from the previous one by 4 ms: 360 ticks.
        for index in 0..<400 as Range<Int64> {
            statistics.receive(
                sequence: index, timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: index * 1_800)),
                now: .milliseconds(index * 20 + index % 2 * 4))
        }
        #expect((350...360).contains(statistics.jitterTicks))
        #expect(abs(statistics.jitter.milliseconds - 4) < 0.15)
    }

    @Test("Section A.8: one packet moves the estimate by a sixteenth of its deviation") func jitterStep() {
        var statistics = ReceptionStatistics(clockRate: 90_000)
        statistics.receive(sequence: 0, timestamp: RTPTimestamp(0), now: .zero)
        statistics.receive(sequence: 1, timestamp: RTPTimestamp(0), now: .milliseconds(16))
        #expect(statistics.jitterTicks == 90)
    }

    @Test func answersTheLastSenderReport() throws {
        var statistics = ReceptionStatistics(clockRate: 90_000)
        var clock = SenderClock(clockRate: 90_000)
        clock.report(ntp: NTPTime(rawValue: 0xb44d_b705_2000_0000), timestamp: RTPTimestamp(0), now: .seconds(10))
        Self.receive([1], into: &statistics)
        let report = statistics.reportBlock(source: Self.source, clock: clock, now: .milliseconds(15_250))
        let block = try #require(report)
        #expect(block.lastSenderReport == 0xb705_2000 && block.delaySinceLastSenderReport == 0x0005_4000)
    }

    @Test func noInputTraps() {
        var random = SeededGenerator(seed: 8)
        var statistics = ReceptionStatistics(clockRate: 90_000)
        for _ in 0..<20_000 {
            statistics.receive(
                sequence: Int64(bitPattern: random.next()) >> 16,
                timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: random.next())),
                now: MediaTime(rawValue: Int64(bitPattern: random.next())))
            _ = Self.block(&statistics)
            _ = statistics.jitter
        }
    }
}
