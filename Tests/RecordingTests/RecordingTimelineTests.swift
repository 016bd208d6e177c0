import MediaBase
import RTP
import Testing

@testable import Recording

@Suite struct RecordingTimelineTests {
    private func time(_ timeline: inout RecordingTimeline, _ kind: MediaKind, _ ticks: Int64) -> Double {
        timeline.time(kind, ticks: ticks)?.seconds ?? .nan
    }

    @Test func smallCorrectionsAreSpread() {
        var timeline = RecordingTimeline()
        let base = NTPTime(seconds: 0xe000_0000, fraction: 0)
        timeline.note(.video, ticks: 0, arrival: .seconds(10), captureNTP: base.rawValue)
        timeline.note(.audio, ticks: 0, arrival: .seconds(10), captureNTP: base.rawValue)
        timeline.setReference(.video)
        // The audio clock turns out to be 20 ms off: at 1 % of the pace the correction takes two seconds.
        var steps: [Double] = []
        var last = time(&timeline, .audio, 0)
        for index in 1...200 {
            let ticks = Int64(index) * 960
            timeline.note(
                .audio, ticks: ticks, arrival: .seconds(10) + .milliseconds(Int64(index) * 20),
                captureNTP: base.advanced(by: .milliseconds(Int64(index) * 20 + 20)).rawValue)
            let now = time(&timeline, .audio, ticks)
            steps.append(now - last)
            last = now
        }
        #expect(steps.allSatisfy { $0 > 0.0199 && $0 < 0.0203 })
        #expect(abs(last - (10 + 4 + 0.02)) < 0.0001)
        #expect(timeline.jumps == 0)
    }

    @Test(arguments: [(UInt32.max, UInt32.max), (0, 0), (0xe000_0000, 0x8000_0000)])
    func wallClockWrapsWithNTP(seconds: UInt32, fraction: UInt32) {
        var timeline = RecordingTimeline()
        let base = NTPTime(seconds: seconds, fraction: fraction)
        timeline.note(.video, ticks: 1 << 32, arrival: .seconds(1), captureNTP: base.rawValue)
        timeline.note(
            .audio, ticks: -5, arrival: .seconds(1.5), captureNTP: base.advanced(by: .milliseconds(250)).rawValue)
        timeline.setReference(.video)
        #expect(abs(time(&timeline, .audio, -5) - 1.25) < 1e-6)
        let later = NTPTime(rawValue: timeline.wallClock(at: .seconds(3)) ?? 0)
        #expect(abs((later.distance(from: base) - .seconds(2)).rawValue) < 10)
    }

    @Test func reportsOfAnotherClockAreIgnored() {
        var timeline = RecordingTimeline()
        let base = NTPTime(seconds: 0xe000_0000, fraction: 0)
        timeline.note(.video, ticks: 0, arrival: .seconds(1), captureNTP: base.rawValue)
        timeline.note(.audio, ticks: 0, arrival: .seconds(1), captureNTP: base.advanced(by: .seconds(3600)).rawValue)
        timeline.setReference(.video)
        #expect(time(&timeline, .audio, 0) == 1)
    }

    @Test(arguments: [Int64.max, Int64.min + 1, Int64.max / 2])
    func extremeTicksDoNotOverflow(ticks: Int64) {
        var timeline = RecordingTimeline()
        timeline.note(.audio, ticks: ticks, arrival: .zero, captureNTP: nil)
        timeline.note(.audio, ticks: 0, arrival: .seconds(1), captureNTP: nil)
        timeline.note(.audio, ticks: -ticks, arrival: .seconds(2), captureNTP: .max)
        _ = timeline.time(.audio, ticks: ticks)
    }
}
