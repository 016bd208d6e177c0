import MediaBase
import Testing

@testable import MediaEngine

@Suite("Reads of the socket of RTCP")
struct FeedbackScheduleTests {
    /// Returns a schedule that has just read its second datagram within a millisecond, at 11 ms.
    private func dense() -> FeedbackSchedule {
        var schedule = FeedbackSchedule()
        schedule.read(datagrams: 1, hasMore: false, now: .milliseconds(10))
        schedule.read(datagrams: 1, hasMore: false, now: .milliseconds(11))
        return schedule
    }

    @Test("Rare RTCP is read when it arrives") func rare() {
        var schedule = FeedbackSchedule()
        for i in 1...20 as ClosedRange<Int64> {
            let now = MediaTime.milliseconds(6 * i)
            #expect(!schedule.isDue(isReadable: false, isAwakeForMedia: true, now: now))
            #expect(schedule.isDue(isReadable: true, isAwakeForMedia: false, now: now))
            schedule.read(datagrams: 1, hasMore: false, now: now)
            #expect(schedule.end == nil)
        }
    }

    @Test("Frequent RTCP is read 5 ms later, or with media after half of that time") func frequent() {
        let schedule = dense()
        #expect(schedule.end == .milliseconds(16))
        #expect(!schedule.isDue(isReadable: false, isAwakeForMedia: false, now: .microseconds(15_999)))
        #expect(schedule.isDue(isReadable: false, isAwakeForMedia: false, now: .milliseconds(16)))
        #expect(!schedule.isDue(isReadable: false, isAwakeForMedia: true, now: .microseconds(13_499)))
        #expect(schedule.isDue(isReadable: false, isAwakeForMedia: true, now: .microseconds(13_500)))
    }

    @Test("The socket is polled again after a read that finds nothing, and after one that leaves datagrams")
    func polled() {
        for (datagrams, hasMore) in [(0, false), (128, true)] {
            var schedule = dense()
            schedule.read(datagrams: datagrams, hasMore: hasMore, now: .milliseconds(16))
            #expect(schedule.end == nil)
            #expect(schedule.isDue(isReadable: true, isAwakeForMedia: false, now: .milliseconds(16)))
        }
    }

    @Test(
        "No RTCP waits for more than 5 ms, and frequent RTCP causes at most one wake-up in 5 ms",
        arguments: [100, 900, 4_000, 7_000, 30_000] as [Int64], [0, 700, 3_000, 20_000] as [Int64])
    func waits(gapMicroseconds: Int64, mediaMicroseconds: Int64) {
        var schedule = FeedbackSchedule()
        var waiting: [MediaTime] = []
        var longest = MediaTime.zero
        var ownWakeUps = 0
        // Steps of 50 us in one second; the worker wakes up for media at its own interval.
        for step in 0..<20_000 as Range<Int64> {
            let microseconds = step * 50
            let now = MediaTime.microseconds(microseconds)
            if microseconds % gapMicroseconds == 0 { waiting.append(now) }
            let isAwake = mediaMicroseconds > 0 && microseconds % mediaMicroseconds == 0
            let isReadable = schedule.end == nil && !waiting.isEmpty
            guard isAwake || isReadable || (schedule.end ?? .never) <= now,
                schedule.isDue(isReadable: isReadable, isAwakeForMedia: isAwake, now: now)
            else { continue }
            if !isAwake { ownWakeUps += 1 }
            longest = max(longest, waiting.map { now - $0 }.max() ?? .zero)
            schedule.read(datagrams: waiting.count, hasMore: false, now: now)
            waiting = []
        }
        #expect(longest <= FeedbackSchedule.interval)
        // A second holds 200 intervals. Datagrams with gaps of about an interval can wake the worker for both.
        let arrivals = Int(1_000_000 / gapMicroseconds) + 1
        #expect(ownWakeUps <= (gapMicroseconds < 2_500 ? 201 : 2 * arrivals), "\(ownWakeUps)")
        if gapMicroseconds > 5_000 { #expect(longest == .zero) }
    }
}
