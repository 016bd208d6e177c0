import Forwarding
import MediaBase
import RTP
import Testing

@Suite("A sender's clock from its reports (RFC 3550 section 6.4.1)")
struct SenderClockTests {
    static let ntp = NTPTime(unixNanoseconds: 1_700_000_000_000_000_000)

    static func clock(rate: Int, timestamp: UInt32) -> SenderClock {
        var clock = SenderClock(clockRate: rate)
        clock.report(ntp: ntp, timestamp: RTPTimestamp(timestamp), now: .seconds(100))
        return clock
    }

    @Test func knowsNothingBeforeTheFirstReport() {
        let clock = SenderClock(clockRate: 90_000)
        #expect(clock.ntp(of: RTPTimestamp(5)) == nil)
        #expect(clock.reading(now: .seconds(1)) == nil)
        #expect(clock.lastReport(now: .seconds(1)) == (0, 0))
    }

    @Test("Timestamps before and after the report", arguments: [0, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] as [UInt32])
    func timestamps(reported: UInt32) throws {
        for rate in [48_000, 90_000] {
            let clock = Self.clock(rate: rate, timestamp: reported)
            let second = UInt32(rate)
            let before = try #require(clock.ntp(of: RTPTimestamp(reported &- second / 2)))
            let after = try #require(clock.ntp(of: RTPTimestamp(reported &+ second * 3)))
            #expect(clock.ntp(of: RTPTimestamp(reported)) == Self.ntp)
            #expect(before.distance(from: Self.ntp) == .milliseconds(-500))
            #expect(after.distance(from: Self.ntp) == .seconds(3))
        }
    }

    @Test func aReadingGoesOnFromTheReport() throws {
        let clock = Self.clock(rate: 90_000, timestamp: 0xffff_ffff)
        let reading = try #require(clock.reading(now: .milliseconds(101_500)))
        #expect(reading.ntp.distance(from: Self.ntp) == .milliseconds(1_500))
        #expect(reading.timestamp == RTPTimestamp(134_999))
        let inTheMeantime = try #require(clock.ntp(of: reading.timestamp))
        #expect(inTheMeantime == reading.ntp)
    }

    @Test func twoTracksOfOneSenderMeetInNTPTime() throws {
        let audio = Self.clock(rate: 48_000, timestamp: 1_000)
        let video = Self.clock(rate: 90_000, timestamp: 777)
        let audioTime = try #require(audio.ntp(of: RTPTimestamp(1_000 + 9_600)))
        let videoTime = try #require(video.ntp(of: RTPTimestamp(777 + 18_000)))
        #expect(audioTime == videoTime)
    }

    @Test func delayOfTheLastReport() {
        let clock = Self.clock(rate: 90_000, timestamp: 0)
        #expect(clock.lastReport(now: .milliseconds(100_500)) == (Self.ntp.compact, 0x8000))
        #expect(clock.lastReport(now: .seconds(99)).delay == 0)
    }

    @Test func farTimestampsDoNotTrap() {
        let clock = Self.clock(rate: 48_000, timestamp: 0)
        for timestamp in [0x7fff_ffff, 0x8000_0000] as [UInt32] {
            #expect(clock.ntp(of: RTPTimestamp(timestamp)) != nil)
        }
        #expect(clock.reading(now: .never) != nil)
    }
}
