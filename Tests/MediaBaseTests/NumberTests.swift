import MediaBase
import Testing

@Suite("Sequence numbers, timestamps and time")
struct NumberTests {
    @Test(
        "distances of sequence numbers are the short way round (RFC 1982)",
        arguments: [
            (UInt16(0), UInt16(0), 0), (1, 0, 1), (0, 1, -1), (0, 65_535, 1), (65_535, 0, -1), (32_767, 0, 32_767),
            (32_768, 0, -32_768),
            (0, 32_768, -32_768), (0, 32_767, -32_767), (100, 65_500, 136),
        ])
    func sequenceDistance(_ a: UInt16, _ b: UInt16, _ distance: Int) {
        #expect(SequenceNumber(a).distance(from: SequenceNumber(b)) == distance)
        #expect(SequenceNumber(b).advanced(by: distance) == SequenceNumber(a))
    }

    @Test(
        "advancing wraps, by any amount",
        arguments: [
            (UInt16(65_535), 1, UInt16(0)), (0, -1, 65_535), (5, 65_536 * 3, 5), (0, .max, 65_535), (0, .min, 0),
        ])
    func sequenceAdvance(_ from: UInt16, _ by: Int, _ to: UInt16) {
        #expect(SequenceNumber(from).advanced(by: by) == SequenceNumber(to))
    }

    @Test(
        "distances of timestamps are the short way round",
        arguments: [
            (UInt32(0), UInt32(0), 0), (0, .max, 1), (.max, 0, -1), (0x7fff_ffff, 0, 0x7fff_ffff),
            (0x8000_0000, 0, -0x8000_0000),
            (0, 0x8000_0000, -0x8000_0000), (90_000, 0xffff_ffff, 90_001),
        ])
    func timestampDistance(_ a: UInt32, _ b: UInt32, _ distance: Int) {
        #expect(RTPTimestamp(a).distance(from: RTPTimestamp(b)) == distance)
        #expect(RTPTimestamp(b).advanced(by: distance) == RTPTimestamp(a))
        #expect(RTPTimestamp(a).advanced(by: .max) == RTPTimestamp(a &- 1))
    }

    @Test("payload types are 7 bits")
    func payloadType() {
        #expect(
            PayloadType(0xff).rawValue == 127 && PayloadType(rawValue: 0x80).rawValue == 0
                && PayloadType(111).rawValue == 111)
    }

    @Test("time adds, compares and does not trap at its ends")
    func time() {
        #expect(MediaTime.milliseconds(1500) == .seconds(1.5) && MediaTime.microseconds(2) == .nanoseconds(2000))
        #expect(MediaTime.milliseconds(3) - .milliseconds(5) == .milliseconds(-2))
        #expect(MediaTime.zero < .never && MediaTime.milliseconds(1) > .microseconds(999))
        #expect((MediaTime.never + .nanoseconds(1)) < .zero, "wraps instead of trapping")
        var time = MediaTime.seconds(1)
        time += .milliseconds(250)
        #expect(time.milliseconds == 1250 && time.seconds == 1.25)
    }
}
