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

    /// Returns a timeline of audio that was gathered for `audio` seconds and video that was gathered for `video` seconds before they arrive at
    /// second 100, and their tick 0 has the same time of capture plus these durations.
    private func gathered(audio: Int, video: Int, reports: Bool) -> RecordingTimeline {
        var timeline = RecordingTimeline()
        let base = NTPTime(seconds: 0xe000_0000, fraction: 0)
        for (kind, seconds) in [(MediaKind.audio, audio), (.video, video)] {
            for index in 0...(10 * seconds) {
                let captured = MediaTime.milliseconds(Int64(index) * 100 - Int64(seconds) * 1_000)
                timeline.note(
                    kind, ticks: Int64(index) * Int64(kind.clockRate) / 10, arrival: .seconds(100),
                    captureNTP: reports ? base.advanced(by: captured).rawValue : nil)
            }
        }
        return timeline
    }

    @Test(
        "When a file begins, what was gathered gets the time of its capture, with reports and without",
        arguments: [(2, 2), (2, 0), (0, 2), (1, 3)], [true, false])
    func settling(seconds: (audio: Int, video: Int), reports: Bool) {
        for reference in MediaKind.allCases {
            var timeline = gathered(audio: seconds.audio, video: seconds.video, reports: reports)
            timeline.setReference(reference)
            #expect(abs(time(&timeline, .audio, 0) - Double(100 - seconds.audio)) < 1e-6)
            #expect(abs(time(&timeline, .video, 0) - Double(100 - seconds.video)) < 1e-6)
            #expect(timeline.jumps == 0)
        }
    }

    @Test("A file begins three seconds before its first packet at most, with audio and video together")
    func boundedSettling() {
        var timeline = gathered(audio: 9, video: 8, reports: true)
        timeline.setReference(.video)
        #expect(abs(time(&timeline, .audio, 0) - 97) < 1e-6)
        #expect(abs(time(&timeline, .video, 0) - 98) < 1e-6)
        #expect(timeline.jumps == 0)
        // Without reports, a longer lead is a jump.
        timeline = gathered(audio: 9, video: 8, reports: false)
        timeline.setReference(.video)
        #expect(timeline.jumps > 0)
        for kind in MediaKind.allCases {
            let first = timeline.time(kind, ticks: 0, arrival: .seconds(100)) ?? .zero
            #expect(first >= .seconds(97) && first <= .seconds(100))
        }
    }

    @Test("A stream that is played at once may not run ahead by more than a second")
    func liveLead() {
        var timeline = RecordingTimeline(maximumLead: .seconds(1))
        for index in Int64(0)...20 {
            timeline.note(.audio, ticks: index * 4_800, arrival: .seconds(100), captureNTP: 1 << 62)
            #expect(timeline.jumps == (index > 10 ? 1 : 0))
        }
    }

    @Test(
        "After the start, RTP time runs ahead of arrival by up to 15 s with reports, and by 1 s without",
        arguments: [true, false])
    func leadAfterStart(reports: Bool) {
        var timeline = gathered(audio: 0, video: 0, reports: reports)
        timeline.setReference(.video)
        for index in Int64(1)...140 {
            timeline.note(.audio, ticks: index * 4_800, arrival: .seconds(100), captureNTP: nil)
        }
        #expect((timeline.jumps > 0) == !reports)
        for index in Int64(141)...151 {
            timeline.note(.audio, ticks: index * 4_800, arrival: .seconds(100), captureNTP: nil)
        }
        #expect(timeline.jumps > 0)
    }

    @Test(arguments: [Int64.max, Int64.min + 1, Int64.max / 2])
    func extremeTicksDoNotOverflow(ticks: Int64) {
        var timeline = RecordingTimeline()
        timeline.note(.audio, ticks: ticks, arrival: .zero, captureNTP: nil)
        timeline.note(.audio, ticks: 0, arrival: .seconds(1), captureNTP: nil)
        timeline.note(.audio, ticks: -ticks, arrival: .seconds(2), captureNTP: .max)
        timeline.setReference(.audio)
        _ = timeline.time(.audio, ticks: ticks)
    }
}
