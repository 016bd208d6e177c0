import Forwarding
import MediaBase
import MillraceTestKit
import Testing

@Suite("Requests for missing packets (RFC 4585 section 6.2.1)")
struct NACKGeneratorTests {
    static func milliseconds(_ value: Int64) -> MediaTime { .milliseconds(value) }

    /// Receives packets with these sequence numbers, all at `now`.
    static func receive(_ sequences: some Sequence<Int64>, into generator: inout NACKGenerator, at now: Int64 = 0) {
        for sequence in sequences { generator.receive(sequence: sequence, now: .milliseconds(now)) }
    }

    static func take(_ generator: inout NACKGenerator, at now: Int64) -> [UInt16] {
        generator.take(now: .milliseconds(now)).map(\.rawValue)
    }

    @Test("Contiguous packets cause no request", arguments: [0, 32_767, 32_768, 65_535, 1 << 40] as [Int64])
    func noLoss(first: Int64) {
        var generator = NACKGenerator()
        Self.receive(first..<(first + 1_000), into: &generator)
        #expect(generator.deadline == nil && generator.missingCount == 0 && !generator.needsKeyFrame)
        #expect(Self.take(&generator, at: 10_000).isEmpty)
    }

    @Test func aPacketOutOfOrderIsNotAskedFor() {
        var generator = NACKGenerator()
        Self.receive([1, 3], into: &generator)
        #expect(generator.deadline == Self.milliseconds(20))
        #expect(Self.take(&generator, at: 19).isEmpty)
        Self.receive([2], into: &generator, at: 19)
        #expect(generator.deadline == nil)
        #expect(Self.take(&generator, at: 20).isEmpty)
    }

    @Test("Requested numbers wrap", arguments: [0, 32_767, 32_768, 65_535] as [Int64])
    func wraps(first: Int64) {
        var generator = NACKGenerator()
        Self.receive([first - 1, first + 3], into: &generator)
        #expect(
            Self.take(&generator, at: 20) == (0..<3).map { UInt16(truncatingIfNeeded: first + $0) })
        #expect(Self.take(&generator, at: 20).isEmpty)
    }

    @Test("After a silence a long gap requests a key frame, a short one its packets")
    func silence() {
        var generator = NACKGenerator()
        Self.receive([1, 66], into: &generator, at: 0)
        #expect(generator.missingCount == 64 && !generator.needsKeyFrame)
        Self.receive([200], into: &generator, at: 500)
        #expect(generator.missingCount == 197 && !generator.needsKeyFrame)
        Self.receive([265], into: &generator, at: 1_001)
        #expect(generator.missingCount == 261 && !generator.needsKeyFrame)
        Self.receive([331], into: &generator, at: 1_502)
        #expect(generator.missingCount == 0 && generator.needsKeyFrame)
    }

    @Test func retriesBackOffAndEnd() {
        var generator = NACKGenerator()
        Self.receive([1, 3], into: &generator)
        var times: [Int64] = []
        for now in 0..<10_000 as Range<Int64> where !Self.take(&generator, at: now).isEmpty { times.append(now) }
        #expect(times == [20, 70, 170, 370, 770, 1_170, 1_570, 1_970])
        #expect(generator.deadline == nil && generator.missingCount == 0)
        #expect(generator.needsKeyFrame)
        generator.keyFrameRequested()
        #expect(!generator.needsKeyFrame)
    }

    @Test("Audio is requested after 5 ms, for 300 ms") func lifetime() {
        var generator = NACKGenerator(.audio)
        Self.receive([1, 3], into: &generator)
        Self.receive([5], into: &generator, at: 290)
        var times: [Int64: [UInt16]] = [:]
        for now in 0..<10_000 as Range<Int64> {
            let numbers = Self.take(&generator, at: now)
            if !numbers.isEmpty { times[now] = numbers }
        }
        // The request for packet 2 at 355 ms would come too late.
        #expect(times == [5: [2], 55: [2], 155: [2], 295: [4], 345: [4], 445: [4]])
        #expect(generator.deadline == nil && generator.missingCount == 0)
    }

    @Test func retriesWaitForTheRoundTripThatWasSeen() {
        var generator = NACKGenerator()
        Self.receive([1, 3], into: &generator)
        #expect(Self.take(&generator, at: 20) == [2])
        Self.receive([2], into: &generator, at: 60)
        #expect(generator.roundTrip == Self.milliseconds(40))
        Self.receive([5], into: &generator, at: 100)
        #expect(Self.take(&generator, at: 120) == [4])
        #expect(generator.deadline == Self.milliseconds(180))
        #expect(Self.take(&generator, at: 180) == [4])
        #expect(generator.deadline == Self.milliseconds(300))
        // It is no longer known which request the packet answers.
        Self.receive([4], into: &generator, at: 181)
        #expect(generator.roundTrip == Self.milliseconds(40))
    }

    @Test("The largest gap that can be repaired, and one more", arguments: [1_000, 1_001] as [Int64])
    func largestGap(gap: Int64) {
        var generator = NACKGenerator()
        Self.receive([0, gap + 1], into: &generator)
        #expect(generator.missingCount == (gap == 1_000 ? 1_000 : 0))
        #expect(generator.needsKeyFrame == (gap == 1_001))
        Self.receive([gap + 2], into: &generator)
        #expect(generator.missingCount == (gap == 1_000 ? 1_000 : 0))
    }

    @Test func gapsTogetherAreBoundedToo() {
        var generator = NACKGenerator()
        for sequence in 0..<5_000 as Range<Int64> {
            generator.receive(sequence: sequence * 2, now: .zero)
            #expect(generator.missingCount <= NACKGenerator.maximumMissing)
        }
        #expect(generator.needsKeyFrame)
    }

    @Test func onePacketOfRequestsAtATime() {
        var generator = NACKGenerator()
        Self.receive([0, 601], into: &generator)
        #expect(generator.take(now: .milliseconds(20)).count == 256)
        #expect(generator.deadline == Self.milliseconds(20))
        #expect(generator.take(now: .milliseconds(20)).count == 256)
        #expect(generator.take(now: .milliseconds(20)).map(\.rawValue) == Array(513...600))
        #expect(generator.take(now: .milliseconds(20)).isEmpty)
        #expect(generator.deadline == Self.milliseconds(70))
    }

    @Test(
        "With half of the retransmissions lost almost all packets arrive in the end",
        arguments: 1...10 as ClosedRange<UInt64>)
    func recovery(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var generator = NACKGenerator()
        var held: Set<Int64> = []
        for now in 0..<8_000 as Range<Int64> {
            if now < 3_000, random.below(10) > 0 || now == 0 || now == 2_999 {
                generator.receive(sequence: now, now: .milliseconds(now))
                held.insert(now)
            }
            for number in Self.take(&generator, at: now) where random.below(2) == 0 {
                #expect(!held.contains(Int64(number)), "asked for what is there")
                generator.receive(sequence: Int64(number), now: .milliseconds(now))
                held.insert(Int64(number))
            }
        }
        // 8 requests each: one packet in 256 is given up.
        #expect(held.count > 2_985 && generator.missingCount == 0)
        #expect(generator.needsKeyFrame == (held.count < 3_000))
    }
}
