import MediaBase
import MillraceTestKit
import Testing

@testable import Recording

@Suite("LIV-1 clocks of a programme") struct ProgrammeClockTests {
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
        "The time of a forged timestamp stays near its arrival", arguments: [Int64.min / 4, -1_000_000_000, Int64.max / 4] as [Int64])
    func forged(ticks: Int64) {
        var clock = ProgrammeClock()
        clock.note(.audio, ticks: 0, arrival: .seconds(10), captureNTP: nil)
        clock.note(.audio, ticks: ticks, arrival: .seconds(11), captureNTP: nil)
        let time = clock.time(.audio, ticks: ticks, arrival: .seconds(11))
        #expect(time >= .seconds(9) && time <= .seconds(11.04))
    }
}
