import MediaBase
import RTP
import Testing

@Suite("NTP time (RFC 5905 section 6, RFC 3550 section 4)")
struct NTPTimeTests {
    @Test func unixEpoch() {
        let time = NTPTime(unixNanoseconds: 0)
        #expect(time.seconds == 2_208_988_800 && time.fraction == 0)
        #expect(time.unixNanoseconds == 0)
    }

    @Test(
        "Conversion in both directions",
        arguments: [1, 999_999_999, 1_700_000_000_123_456_789, 2_085_978_496_000_000_001, -1] as [Int64])
    func roundTrip(nanoseconds: Int64) {
        #expect(NTPTime(unixNanoseconds: nanoseconds).unixNanoseconds == nanoseconds)
    }

    @Test func differencesHoldAcrossTheEraOf2036() {
        let before = NTPTime(unixNanoseconds: 2_085_978_495_500_000_000)
        let after = before.advanced(by: .seconds(1))
        #expect(after.seconds == 0 && after.rawValue < before.rawValue)
        #expect(after.distance(from: before) == .seconds(1))
        #expect(before.distance(from: after) == .seconds(-1))
        #expect(after.unixNanoseconds == 2_085_978_496_500_000_000)
    }

    @Test("RFC 3550 section 6.4.1, figure 2: the round trip of the example") func roundTripExample() {
        // Sent at 0xb44db705.20000000; the reception report arrives 6.125 s later, 5.250 s of which it was held by the receiver.
        let block = ReportBlock(
            source: SSRC(1), fractionLost: 0, cumulativeLost: 0, highestSequence: 0, jitter: 0,
            lastSenderReport: 0xb705_2000, delaySinceLastSenderReport: 0x0005_4000)
        #expect(NTPTime(seconds: 0xb44d_b705, fraction: 0x2000_0000).compact == block.lastSenderReport)
        #expect(block.roundTripTime(now: NTPTime(rawValue: 0xb44d_b70b_4000_0000)) == .milliseconds(875))
        #expect(block.roundTripTime(now: NTPTime(rawValue: 0xb44d_b705_2000_0000)) == nil)
    }

    @Test func compactSpans() {
        #expect(NTPTime.compact(span: .milliseconds(5_250)) == 0x0005_4000)
        #expect(NTPTime.span(compact: 0x0005_4000) == .milliseconds(5_250))
        #expect(NTPTime.compact(span: .milliseconds(-1)) == 0)
        #expect(NTPTime.compact(span: .never) == .max)
    }
}
