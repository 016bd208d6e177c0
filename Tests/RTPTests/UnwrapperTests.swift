import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Unwrapping of sequence numbers and timestamps")
struct UnwrapperTests {
    @Test("First number", arguments: [0, 32_767, 32_768, 65_535] as [UInt16])
    func firstNumber(number: UInt16) {
        var unwrapper = SequenceUnwrapper()
        #expect(unwrapper.highest == nil)
        #expect(unwrapper.unwrap(SequenceNumber(number)) == Int64(number))
        #expect(unwrapper.unwrap(SequenceNumber(number &+ 1)) == Int64(number) + 1)
        #expect(unwrapper.unwrap(SequenceNumber(number &- 1)) == Int64(number) - 1)
        #expect(unwrapper.highest == Int64(number) + 1)
    }

    @Test("Largest distances ahead and behind", arguments: [0, 32_767, 32_768, 65_535] as [UInt16])
    func farthest(number: UInt16) {
        var ahead = SequenceUnwrapper(reference: Int64(number))
        #expect(ahead.unwrap(SequenceNumber(number &+ 32_767)) == Int64(number) + 32_767)
        var behind = SequenceUnwrapper(reference: Int64(number))
        #expect(behind.unwrap(SequenceNumber(number &+ 32_768)) == Int64(number) - 32_768)
        #expect(behind.highest == Int64(number))
    }

    @Test func reorderingAcrossWraps() {
        var random = SeededGenerator(seed: 1)
        var unwrapper = SequenceUnwrapper()
        _ = unwrapper.unwrap(SequenceNumber(65_000))
        for step in 0..<200_000 as Range<Int64> {
            let sequence = 65_000 + step - Int64(random.below(200))
            #expect(unwrapper.unwrap(SequenceNumber(UInt16(truncatingIfNeeded: sequence))) == sequence)
        }
    }

    @Test func peekingRemembersNothing() {
        var unwrapper = SequenceUnwrapper()
        #expect(unwrapper.peek(SequenceNumber(7)) == 7)
        #expect(unwrapper.highest == nil)
        _ = unwrapper.unwrap(SequenceNumber(65_535))
        #expect(unwrapper.peek(SequenceNumber(2)) == 65_538)
        #expect(unwrapper.highest == 65_535)
    }

    @Test("Timestamps", arguments: [0, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] as [UInt32])
    func timestamps(value: UInt32) {
        var unwrapper = TimestampUnwrapper()
        #expect(unwrapper.unwrap(RTPTimestamp(value)) == Int64(value))
        #expect(unwrapper.unwrap(RTPTimestamp(value &+ 3_000)) == Int64(value) + 3_000)
        #expect(unwrapper.unwrap(RTPTimestamp(value &- 3_000)) == Int64(value) - 3_000)
        #expect(unwrapper.highest == Int64(value) + 3_000)
        #expect(unwrapper.peek(RTPTimestamp(value &+ 3_000 &+ 0x7fff_ffff)) == Int64(value) + 3_000 + 0x7fff_ffff)
        #expect(unwrapper.peek(RTPTimestamp(value &+ 3_000 &+ 0x8000_0000)) == Int64(value) + 3_000 - 0x8000_0000)
    }

    @Test func extremeReferencesDoNotTrap() {
        #expect(SequenceUnwrapper(reference: .max).peek(SequenceNumber(0)) == .min)
        #expect(TimestampUnwrapper(reference: .min).peek(RTPTimestamp(.max)) == 0xffff_ffff)
    }

    @Test("Timestamps that advance by 2^31 - 1 restart from the wire at the limit and keep their low 32 bits")
    func timestampLimit() {
        let limit = TimestampUnwrapper.limit
        var unwrapper = TimestampUnwrapper(reference: limit - 0x7fff_ffff * 1_000)
        var timestamp = UInt32(truncatingIfNeeded: limit - 0x7fff_ffff * 1_000)
        var restarts = 0
        var last = unwrapper.highest ?? 0
        for _ in 0..<3_000 {
            timestamp &+= 0x7fff_ffff
            let extended = unwrapper.unwrap(RTPTimestamp(timestamp))
            #expect(UInt32(truncatingIfNeeded: extended) == timestamp && extended.magnitude <= UInt64(limit))
            if extended < last { restarts += 1 }
            last = extended
            // A late packet is placed beside its neighbours.
            #expect(unwrapper.unwrap(RTPTimestamp(timestamp &- 3_000)) == extended - 3_000)
            #expect(unwrapper.highest == extended)
        }
        #expect(restarts == 1)
    }
}
