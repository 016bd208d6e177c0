import MediaBase
import Testing

@Suite("Sequence numbers, timestamps and time")
struct NumberTests {
    @Test(
        "the distance of sequence numbers is the shorter one (RFC 1982)",
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
        "advancing by any amount wraps",
        arguments: [
            (UInt16(65_535), 1, UInt16(0)), (0, -1, 65_535), (5, 65_536 * 3, 5), (0, .max, 65_535), (0, .min, 0),
        ])
    func sequenceAdvance(_ from: UInt16, _ by: Int, _ to: UInt16) {
        #expect(SequenceNumber(from).advanced(by: by) == SequenceNumber(to))
    }

    @Test(
        "the distance of timestamps is the shorter one",
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

    @Test("sums and comparisons of times do not trap at the limits")
    func time() {
        #expect(MediaTime.milliseconds(1500) == .seconds(1.5) && MediaTime.microseconds(2) == .nanoseconds(2000))
        #expect(MediaTime.milliseconds(3) - .milliseconds(5) == .milliseconds(-2))
        #expect(MediaTime.zero < .never && MediaTime.milliseconds(1) > .microseconds(999))
        #expect(MediaTime.never + .nanoseconds(1) == .never, "saturates instead of wrapping into the past")
        var time = MediaTime.seconds(1)
        time += .milliseconds(250)
        #expect(time.milliseconds == 1250 && time.seconds == 1.25)
    }

    @Test("sums and differences of times saturate at the limit that they exceed")
    func saturation() {
        let least = MediaTime(rawValue: .min)
        #expect(MediaTime.never + .seconds(1) == .never && MediaTime.never - .seconds(-1) == .never)
        #expect(least - .nanoseconds(1) == least && least + .seconds(-1) == least)
        #expect(MediaTime.zero - least == .never && MediaTime.nanoseconds(-1) - .never == least)
        #expect(MediaTime.never - .never == .zero && MediaTime.never + least == .nanoseconds(-1))
        #expect(MediaTime.never - .seconds(1) < .never)
        var time = MediaTime.never
        time += .never
        #expect(time == .never)
    }

    private static let tooLarge: [(Int64, MediaTime)] = [
        (Int64.max, MediaTime.never), (Int64.min, MediaTime(rawValue: .min)), (9_223_372_036_854_776, MediaTime.never),
        (-9_223_372_036_854_776, MediaTime(rawValue: .min)),
    ]

    @Test("conversions into times saturate", arguments: tooLarge)
    func conversion(_ n: Int64, _ time: MediaTime) {
        #expect(MediaTime.microseconds(n) == time && MediaTime.milliseconds(n) == time)
        #expect(Bitrate.kilobits(n).rawValue == time.rawValue)
    }

    @Test("the last values that fit are exact")
    func lastFittingValues() {
        #expect(MediaTime.microseconds(.max / 1_000).rawValue == .max / 1_000 * 1_000)
        #expect(MediaTime.milliseconds(.min / 1_000_000).rawValue == .min / 1_000_000 * 1_000_000)
    }

    private static let secondsAndNanoseconds: [(Double, Int64)] = [
        (Double.nan, 0), (Double.infinity, Int64.max), (-Double.infinity, Int64.min), (1e300, Int64.max),
        (-1e300, Int64.min), (9.3e9, Int64.max), (-9.3e9, Int64.min), (-0.0, 0), (1.5, 1_500_000_000),
        (-1.5, -1_500_000_000), (0x1p63, Int64.max), (Double.leastNonzeroMagnitude, 0),
    ]

    @Test("any number of seconds is converted to a time", arguments: secondsAndNanoseconds)
    func seconds(_ seconds: Double, _ nanoseconds: Int64) {
        #expect(MediaTime.seconds(seconds).rawValue == nanoseconds)
        #expect(Int64(saturating: 0x1p63) == .max && Int64(saturating: -0x1p63) == .min)
        #expect(Bitrate(saturating: seconds * 1e9).rawValue == nanoseconds)
    }
}
