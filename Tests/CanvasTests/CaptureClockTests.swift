import Canvas
import MediaBase
import RTP
import Testing

@Suite struct CaptureClockTests {
    @Test("Without reports each kind counts from its first packet")
    func anchors() {
        var clock = CaptureClock()
        #expect(clock.captureTime(.audio, timestamp: 5) == .zero)
        clock.note(.audio, timestamp: 48_000, arrival: .seconds(10), captureNTP: nil)
        clock.note(.audio, timestamp: 48_960, arrival: .seconds(10.5), captureNTP: nil)
        clock.note(.video, timestamp: -9000, arrival: .seconds(11), captureNTP: nil)
        #expect(clock.captureTime(.audio, timestamp: 96_000) == .seconds(11))
        #expect(clock.captureTime(.video, timestamp: 0) == .seconds(11.1))
        #expect(clock.captureTime(.video, timestamp: -18_000) == .seconds(10.9))
    }

    @Test("Reports align both kinds, and the first kind with a report keeps its time")
    func reports() {
        var clock = CaptureClock()
        let ntp = NTPTime(unixNanoseconds: 1_800_000_000_000_000_000)
        clock.note(.video, timestamp: 90_000, arrival: .seconds(10), captureNTP: nil)
        clock.note(.audio, timestamp: 0, arrival: .seconds(10.3), captureNTP: nil)
        // The frame at 180,000 was captured when the clock showed ntp; the audio at 48,000 half a second later.
        clock.note(.video, timestamp: 180_000, arrival: .seconds(11), captureNTP: ntp.rawValue)
        clock.note(
            .audio, timestamp: 48_000, arrival: .seconds(11.5), captureNTP: ntp.advanced(by: .seconds(0.5)).rawValue)
        #expect(clock.captureTime(.video, timestamp: 180_000) == .seconds(11))
        #expect(abs(clock.captureTime(.audio, timestamp: 48_000).rawValue - 11_500_000_000) < 10)
        #expect(abs(clock.captureTime(.audio, timestamp: 24_000).rawValue - 11_000_000_000) < 10)
    }

    @Test("Timestamps far apart do not overflow")
    func extremes() {
        var clock = CaptureClock()
        clock.note(.video, timestamp: 0, arrival: .zero, captureNTP: nil)
        #expect(clock.captureTime(.video, timestamp: 90_000 * 86_400 * 365) == .seconds(86_400 * 365))
        #expect(clock.captureTime(.video, timestamp: 1 << 60) > .seconds(1e9))
        clock.note(.audio, timestamp: -1 << 61, arrival: .zero, captureNTP: 0)
        #expect(clock.captureTime(.audio, timestamp: 1 << 61) > .seconds(1e9))
        clock.note(.audio, timestamp: 1 << 61, arrival: .zero, captureNTP: 1 << 63)
        #expect(clock.captureTime(.audio, timestamp: -1 << 61) < .seconds(-1e9))
    }
}
