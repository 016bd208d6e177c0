import MediaBase
import MillraceTestKit
import Testing

@testable import Recording

@Suite("LIV-1 clocks and taps of a programme") struct ProgrammeClockTests {
    @Test("The offset of a drifting clock is followed despite jitter", arguments: [-300.0, 0, 300])
    func drift(partsPerMillion: Double) {
        var random = SeededGenerator(seed: 5)
        var floor = DelayFloor()
        var worst: MediaTime = .zero
        for index in 0..<30_000 {
            let time = MediaTime.milliseconds(Int64(index) * 20)
            let capture = MediaTime.nanoseconds(Int64(Double(time.rawValue) * (1 + partsPerMillion / 1e6)))
            let arrival = time + .milliseconds(30) + .microseconds(Int64(random.below(25_000)))
            floor.note(capture: capture, arrival: arrival)
            guard index > 500 else { continue }
            let error = capture + floor.offset - (time + .milliseconds(30))
            worst = max(worst, error, .zero - error)
        }
        #expect(worst < .milliseconds(6))
    }

    @Test("A longer path is taken over within four seconds, and a shorter one at once")
    func path() {
        var floor = DelayFloor()
        func note(_ times: Range<Int64>, delay: MediaTime) {
            for index in times {
                let time = MediaTime.milliseconds(index * 20)
                floor.note(capture: time, arrival: time + delay)
            }
        }
        note(0..<500, delay: .milliseconds(20))
        #expect(floor.offset == .milliseconds(20))
        note(500..<720, delay: .milliseconds(200))
        #expect(floor.offset == .milliseconds(200))
        note(720..<721, delay: .milliseconds(20))
        #expect(floor.offset == .milliseconds(20))
    }

    @Test(
        "The time of a forged timestamp stays near its arrival",
        arguments: [Int64.min / 4, -1_000_000_000, Int64.max / 4] as [Int64])
    func forged(ticks: Int64) {
        var clock = ProgrammeClock()
        clock.note(.audio, ticks: 0, arrival: .seconds(10), captureNTP: nil)
        clock.note(.audio, ticks: ticks, arrival: .seconds(11), captureNTP: nil)
        let time = clock.time(.audio, ticks: ticks, arrival: .seconds(11))
        #expect(time >= .seconds(9) && time <= .seconds(11.04))
    }

    @Test(
        "Taps follow the streams: audio of all, video of those that are needed; a refused tap is tried again after a second"
    )
    func taps() {
        var taps = ProgrammeTaps(maximumStreams: 2)
        typealias Key = ProgrammeTaps.Key
        let listing = ProgrammeListing(streams: [
            ProgrammeStream(name: "a", codec: .vp8), ProgrammeStream(name: "b", hasAudio: false, codec: .vp8),
            ProgrammeStream(name: "c", codec: .vp8),
        ])
        let audio = Key(stream: "a", kind: .audio)
        let video = Key(stream: "b", kind: .video)
        var plan = taps.plan(listing, video: ["b", "c"], open: [], now: .zero)
        #expect(plan.open == [audio, video] && plan.close.isEmpty)
        taps.fail(video, now: .zero)
        plan = taps.plan(listing, video: ["b"], open: [audio], now: .seconds(0.9))
        #expect(plan.open.isEmpty && plan.close.isEmpty)
        plan = taps.plan(listing, video: ["b"], open: [audio], now: .seconds(1))
        #expect(plan.open == [video])
        plan = taps.plan(ProgrammeListing(), video: ["b"], open: [audio, video], now: .seconds(2))
        #expect(plan.open.isEmpty && plan.close == [audio, video])
    }
}
