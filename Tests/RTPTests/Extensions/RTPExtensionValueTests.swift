import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Values of header extensions")
struct RTPExtensionValueTests {
    static func bytes(_ value: some RTPExtensionValue) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xee, count: value.byteCount)
        bytes.withUnsafeMutableBytes { value.write(into: $0) }
        return bytes
    }

    static func parse<Value: RTPExtensionValue>(_: Value.Type, _ bytes: [UInt8]) -> Value? {
        bytes.withUnsafeBytes { Value(parsing: $0) }
    }

    @Test("RFC 6464 section 3: V in the highest bit, the level in the seven others")
    func audioLevelLayout() throws {
        let loud = try #require(Self.parse(AudioLevel.self, [0x80]))
        #expect(loud.level == 0 && loud.isVoice)
        let soft = try #require(Self.parse(AudioLevel.self, [0x7f]))
        #expect(soft == .silence && soft.level == 127 && !soft.isVoice)
        #expect(Self.bytes(AudioLevel(level: 42, isVoice: true)) == [0xaa])
        #expect(AudioLevel(level: 200, isVoice: false).level == 127)
        for byte in UInt8.min...UInt8.max {
            let level = try #require(Self.parse(AudioLevel.self, [byte]))
            #expect(Self.bytes(AudioLevel(level: level.level, isVoice: level.isVoice)) == [byte])
        }
    }

    @Test("A send time is bits 14 to 37 of an NTP timestamp: 6 of seconds, 18 of fraction")
    func sendTimeOfNTP() {
        let time = NTPTime(seconds: 0x0000_0041, fraction: 0x8000_4000)
        // 65 s is 1 s past the period.
        #expect(AbsoluteSendTime(time).rawValue == 1 << 18 | 1 << 17 | 1)
        #expect(Self.bytes(AbsoluteSendTime(time)) == [0x06, 0x00, 0x01])
        #expect(Self.parse(AbsoluteSendTime.self, [0x06, 0, 1])?.rawValue == 0x060001)
    }

    @Test(
        "A send time wraps after 64 s",
        arguments: [
            (0, 0), (1_907, 0), (1_908, 1), (1_000_000_000, 1 << 18), (63_999_998_000, 0xff_ffff),
            (63_999_999_000, 0), (64_000_000_000, 0), (64_500_000_000, 1 << 17), (-1_000_000_000, 63 << 18),
            (.max, 1_272_650),
        ] as [(Int64, UInt32)])
    func sendTimeOfClock(nanoseconds: Int64, expected: UInt32) {
        #expect(AbsoluteSendTime(MediaTime(rawValue: nanoseconds)).rawValue == expected)
    }

    @Test func differencesOfSendTimesCrossTheWrap() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<10_000 {
            let start = Int64(bitPattern: random.next()) >> 2
            let span = Int64(random.below(63_999_000)) * 1_000 - 31_999_500_000
            let from = AbsoluteSendTime(MediaTime(rawValue: start))
            let to = AbsoluteSendTime(MediaTime(rawValue: start + span))
            // Each end is rounded by half a unit of 3,815 ns at most.
            #expect(abs(to.distance(from: from).rawValue - span) <= 3_816)
        }
        let end = AbsoluteSendTime(rawValue: 0xff_ffff)
        #expect(AbsoluteSendTime(rawValue: 0).distance(from: end) == .nanoseconds(3_815))
        #expect(AbsoluteSendTime(rawValue: 0x80_0000).distance(from: AbsoluteSendTime(rawValue: 0)).seconds == -32)
    }

    @Test func captureTimeWithAndWithoutOffset() throws {
        let short: [UInt8] = [0xe9, 0, 0, 1, 0x80, 0, 0, 0]
        let plain = try #require(Self.parse(AbsoluteCaptureTime.self, short))
        #expect(plain.time == NTPTime(seconds: 0xe900_0001, fraction: 0x8000_0000) && plain.offset == nil)
        #expect(plain.clockOffset == nil)
        #expect(Self.bytes(plain) == short)
        // -1.5 s: -2 whole and a half.
        let long = short + [0xff, 0xff, 0xff, 0xfe, 0x80, 0, 0, 0]
        let whole = try #require(Self.parse(AbsoluteCaptureTime.self, long))
        #expect(whole.clockOffset == .milliseconds(-1500))
        #expect(Self.bytes(whole) == long)
        for extreme in [Int64.min, .max, -1, 0, 1] {
            let value = AbsoluteCaptureTime(NTPTime(rawValue: 0), offset: extreme)
            #expect(value.clockOffset?.seconds == (Double(extreme) / 4_294_967_296 * 1e9).rounded() / 1e9)
        }
    }

    @Test func playoutDelayLayout() throws {
        let value = try #require(Self.parse(PlayoutDelay.self, [0x00, 0xa0, 0x14]))
        #expect(value.minimum == .milliseconds(100) && value.maximum == .milliseconds(200))
        #expect(Self.bytes(value) == [0x00, 0xa0, 0x14])
        #expect(Self.bytes(PlayoutDelay(minimum: .zero, maximum: .never)) == [0, 0x0f, 0xff])
        #expect(Self.bytes(PlayoutDelay(minimum: .milliseconds(-5), maximum: .milliseconds(19))) == [0, 0, 1])
        #expect(PlayoutDelay(minimum: .milliseconds(50), maximum: .zero).maximum == .milliseconds(50))
        #expect(Self.parse(PlayoutDelay.self, [0x01, 0x40, 0x13]) == nil, "the least is above the greatest")
        #expect(PlayoutDelay.longest == .milliseconds(40_950))
    }

    @Test("Limits of the transport-wide number", arguments: [0, 32_767, 32_768, 65_535] as [UInt16])
    func transportSequence(number: UInt16) throws {
        let bytes = Self.bytes(TransportSequence(SequenceNumber(number)))
        #expect(bytes == [UInt8(number >> 8), UInt8(number & 0xff)])
        #expect(Self.parse(TransportSequence.self, bytes)?.number == SequenceNumber(number))
    }

    @Test("Other lengths are refused", arguments: 0...20)
    func lengths(length: Int) {
        let bytes = [UInt8](repeating: 0, count: length)
        #expect((Self.parse(AudioLevel.self, bytes) != nil) == (length == 1))
        #expect((Self.parse(TransportSequence.self, bytes) != nil) == (length == 2))
        #expect((Self.parse(AbsoluteSendTime.self, bytes) != nil) == (length == 3))
        #expect((Self.parse(PlayoutDelay.self, bytes) != nil) == (length == 3))
        #expect((Self.parse(AbsoluteCaptureTime.self, bytes) != nil) == [8, 16].contains(length))
    }
}
