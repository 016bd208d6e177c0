import MediaBase
import TestMedia
import Testing

@Suite struct VideoStatisticsTests {
    private func bar(_ counter: UInt32) -> FrameBar { FrameBar(counter: counter, captureMicroseconds: 0) }

    @Test func aSteadyStreamHasNoFault() {
        var statistics = VideoStatistics(frameInterval: .milliseconds(33))
        for i in 0..<100 {
            let time = MediaTime.milliseconds(Int64(i) * 33)
            statistics.record(bar(UInt32(i)), captured: time, now: time + .milliseconds(20))
        }
        statistics.finish(now: .milliseconds(3_300))
        #expect(statistics.decoded == 100)
        #expect(statistics.countersMissed == 0)
        #expect(statistics.freezes == 0)
        #expect(statistics.latency.maximum == 20_000)
        #expect(statistics.longestPause == .milliseconds(33))
    }

    @Test("The time to the first frame is that of the first decoded frame, even if its bar cannot be read")
    func firstFrame() {
        var statistics = VideoStatistics(frameInterval: .milliseconds(33))
        for (bar, now) in [(nil, 150), (bar(1), 183), (bar(2), 216)] {
            statistics.record(bar, captured: .zero, joined: .milliseconds(100), now: .milliseconds(Int64(now)))
        }
        #expect(statistics.firstFrame.count == 1)
        #expect(statistics.firstFrame.maximum == 50_000)
    }

    @Test func missedCountersAreCountedAcrossTheWrap() {
        var statistics = VideoStatistics(frameInterval: .milliseconds(33))
        for (i, counter) in [UInt32.max - 1, .max, 3, 2, 4].enumerated() {
            let time = MediaTime.milliseconds(Int64(i) * 33)
            statistics.record(bar(counter), captured: time, now: time)
        }
        #expect(statistics.countersMissed == 3)
        #expect(statistics.repeated == 1)
    }

    @Test func aPauseIsAFreezeOnlyAboveTheLimit() {
        var statistics = VideoStatistics(frameInterval: .milliseconds(33))
        for (counter, milliseconds) in [(0, 0), (1, 200), (2, 401), (3, 420)] as [(UInt32, Int64)] {
            statistics.record(bar(counter), captured: .zero, now: .milliseconds(milliseconds))
        }
        #expect(statistics.freezes == 1)
        #expect(statistics.frozen == .milliseconds(201))
        statistics.finish(now: .milliseconds(1_000))
        #expect(statistics.freezes == 2)
        #expect(statistics.longestPause == .milliseconds(580))
    }

    @Test func aSlowVideoMayPauseLonger() {
        #expect(VideoStatistics(frameInterval: .milliseconds(200)).freezeLimit == .milliseconds(600))
        #expect(VideoStatistics(frameInterval: .milliseconds(16)).freezeLimit == .milliseconds(200))
    }

    @Test func framesFromBeforeTheJoinSayNothingOfLatency() {
        var statistics = VideoStatistics(frameInterval: .milliseconds(33))
        statistics.record(bar(1), captured: .milliseconds(10), joined: .milliseconds(500), now: .milliseconds(510))
        #expect(statistics.latency.count == 0)
        statistics.record(bar(2), captured: .milliseconds(530), joined: .milliseconds(500), now: .milliseconds(540))
        #expect(statistics.latency.maximum == 10_000)
    }

    @Test func anUnreadableBarIsNoNewFrame() {
        var statistics = VideoStatistics(frameInterval: .milliseconds(33))
        statistics.record(nil, captured: .zero, now: .zero)
        #expect(statistics.decoded == 1)
        #expect(statistics.unreadable == 1)
        #expect(statistics.latency.count == 0)
    }

    @Test func mergingAddsUp() {
        var (a, b) = (
            VideoStatistics(frameInterval: .milliseconds(33)), VideoStatistics(frameInterval: .milliseconds(33))
        )
        a.record(bar(0), captured: .zero, now: .milliseconds(5))
        b.record(bar(0), captured: .zero, now: .milliseconds(7))
        b.record(bar(9), captured: .zero, now: .milliseconds(400))
        a.merge(b)
        #expect(a.decoded == 3)
        #expect(a.countersMissed == 8)
        #expect(a.freezes == 1)
        #expect(a.latency.count == 3)
    }
}
