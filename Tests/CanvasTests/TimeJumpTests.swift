import Canvas
import MediaBase
import Testing

@Suite struct TimeJumpTests {
    /// Feeds packets of (ticks, arrival in milliseconds).
    func jumps(_ kind: MediaKind, _ packets: [(Int64, Int64)]) -> Int {
        var detector: TimeJumpDetector?
        var count = 0
        for (ticks, arrival) in packets {
            if detector?.note(ticks: ticks, arrival: .milliseconds(arrival)) == true { count += 1 }
            if detector == nil { detector = TimeJumpDetector(kind, ticks: ticks, arrival: .milliseconds(arrival)) }
        }
        return count
    }

    static func packets(_ count: Int64, _ packet: (Int64) -> (Int64, Int64)) -> [(Int64, Int64)] {
        (0..<count).map(packet)
    }

    @Test("Jitter, a pause and a clock that drifts by 300 ppm for a day are no jumps")
    func regular() {
        let jittered = Self.packets(500) { index in (index * 960, index * 20 + index * 37 % 400) }
        #expect(jumps(.audio, jittered) == 0)
        let paused: [(Int64, Int64)] = [(0, 0), (960, 20), (14_400_000, 300_000), (14_400_960, 300_020)]
        #expect(jumps(.audio, paused) == 0)
        for sign in [Int64(1), -1] {
            let drifting = Self.packets(86_400) { index in (index * (90_000 + sign * 27), index * 1_000) }
            #expect(jumps(.video, drifting) == 0)
        }
    }

    @Test("Packets that a stall of the network delays and then delivers at once are no jump")
    func stall() {
        let delayed = Self.packets(400) { index in
            let time = index * 20
            return (index * 960, time >= 2_000 && time < 7_000 ? 7_000 : time)
        }
        #expect(jumps(.audio, delayed) == 0)
    }

    @Test(
        "A step of RTP time that arrival does not explain is a jump",
        arguments: [93_001, -93_001, 1 << 30, 1 << 31, -(1 << 31), Int64.max / 2, Int64.min / 2])
    func step(_ ticks: Int64) {
        let first = 3_000 &+ ticks
        let second = 6_000 &+ ticks
        let away: [(Int64, Int64)] = [(0, 0), (3_000, 33), (first, 66), (second, 100)]
        #expect(jumps(.video, away) == 1)
        let thereAndBack: [(Int64, Int64)] = [(0, 0), (first, 33), (6_000, 66), (9_000, 100)]
        #expect(jumps(.video, thereAndBack) == 2)
    }

    @Test("RTP time that runs ahead in small steps is a jump each second that it gains")
    func creeping() {
        // 0.9 s of RTP time each millisecond.
        let count = jumps(.audio, Self.packets(1_000) { index in (index * 43_200, index) })
        #expect(count >= 400)
    }

    @Test("A clock that stood still for longer than a stall lasts is a jump once")
    func standstill() {
        let packets = Self.packets(500) { index in (index * 960, index * 20 + (index >= 100 ? 10_000 : 0)) }
        #expect(jumps(.audio, packets) == 1)
    }

    @Test("RTP time may run ahead by the given maximum", arguments: [(4, 0), (6, 1)])
    func maximumLead(seconds: Int64, jumps: Int) {
        var detector = TimeJumpDetector(.audio, ticks: 0, arrival: .zero)
        detector.maximumLead = .seconds(5)
        var count = 0
        for index in 1..<1_000 {
            let captured = MediaTime.milliseconds(Int64(index) * 20)
            // Packets that were captured before arrive within some milliseconds.
            let arrival = max(.milliseconds(Int64(index) / 10), captured - .seconds(Double(seconds)))
            if detector.note(ticks: Int64(index) * 960, arrival: arrival) { count += 1 }
        }
        #expect(count == jumps)
    }

    @Test("A settled timeline has the times of capture, and continues at the time of arrival after a jump")
    func settled() {
        var timeline = TrackTimeline(.audio, sequence: 0, ticks: 0, arrival: .seconds(12))
        timeline.maximumLead = .seconds(5)
        for index in Int64(1)..<1_000 {
            let captured = MediaTime.seconds(10) + .milliseconds(index * 20)
            let ticks = index * 960 + (index >= 500 ? 1 << 30 : 0)
            let arrival = max(captured, .seconds(12))
            let isRestart = timeline.note(sequence: index, ticks: ticks, arrival: arrival)
            #expect(isRestart == (index == 500))
            if index == 120 {
                #expect(timeline.greatestLead == .seconds(2))
                timeline.settle(movingBy: .seconds(-2))
                #expect(timeline.time(0, arrival: .seconds(12)) == .seconds(10) && timeline.greatestLead == .zero)
            }
            let lead: MediaTime = index < 120 ? .seconds(2) : .zero
            #expect(abs((timeline.time(ticks, arrival: arrival) - captured - lead).rawValue) < 1_000_000)
        }
    }

    @Test("After a clock that stood still for a minute, the timeline continues at the time of arrival")
    func standstillOfAMinute() {
        var timeline = TrackTimeline(.audio, sequence: 0, ticks: 0, arrival: .zero)
        for index in Int64(1)..<1_000 {
            let arrival = MediaTime.milliseconds(index * 20) + (index < 500 ? .zero : .seconds(60))
            _ = timeline.note(sequence: index, ticks: index * 960, arrival: arrival)
            #expect(abs((timeline.time(index * 960, arrival: arrival) - arrival).rawValue) < 1_000_000)
        }
        #expect(timeline.restarts == 1)
    }

    @Test("After a jump the timeline continues at the time of arrival, also after a jump back")
    func continuation() {
        var timeline = TrackTimeline(.video, sequence: 0, ticks: 5_000, arrival: .seconds(10))
        var last: MediaTime = .zero
        for index in 1..<300 {
            var ticks = 5_000 + Int64(index) * 3_000
            if index == 100 { ticks += 1 << 30 }
            if index >= 200 { ticks -= 1 << 31 }
            let arrival = MediaTime.seconds(10) + .nanoseconds(Int64(index) * 1_000_000_000 / 30)
            _ = timeline.note(sequence: Int64(index), ticks: ticks, arrival: arrival)
            let time = timeline.time(ticks, arrival: arrival)
            #expect(abs((time - arrival).rawValue) < 2_000_000)
            #expect(time > last)
            last = time
        }
        #expect(timeline.restarts == 3)
    }

    @Test("A frame from before a jump is placed by the timeline that it belongs to")
    func frameBeforeJump() {
        var timeline = TrackTimeline(.video, sequence: 0, ticks: 0, arrival: .seconds(1))
        _ = timeline.note(sequence: 1, ticks: 3_000, arrival: .seconds(1.04))
        _ = timeline.note(sequence: 2, ticks: 1 << 30, arrival: .seconds(1.07))
        #expect(timeline.time(3_000, arrival: .seconds(1.04)) == .seconds(1) + .nanoseconds(33_333_333))
        // A timestamp of no timeline is placed by arrival.
        let wild = timeline.time(-(1 << 40), arrival: .seconds(1.2))
        #expect(wild > .seconds(1.1) && wild < .seconds(1.3))
    }

    @Test("A late packet does not move the timeline")
    func late() {
        var timeline = TrackTimeline(.video, sequence: 100, ticks: 900_000, arrival: .seconds(1))
        let isRestart = timeline.note(sequence: 40, ticks: 0, arrival: .seconds(1.1))
        #expect(!isRestart)
        #expect(timeline.restarts == 0)
    }

    @Test("Ticks become exact times", arguments: [0, 1, 32_767, 32_768, 65_535, 65_536, 1_000_000_000, -1] as [Int64])
    func exactTicks(seconds: Int64) {
        #expect(TimeJumpDetector.span(seconds * 90_000, .video) == .nanoseconds(seconds * 1_000_000_000))
        #expect(TimeJumpDetector.span(seconds * 48, .audio) == .nanoseconds(seconds * 1_000_000))
    }

    @Test("Extreme ticks do not overflow", arguments: [.max, .min, .max / 2] as [Int64])
    func extremeTicks(ticks: Int64) {
        var timeline = TrackTimeline(.audio, sequence: nil, ticks: ticks, arrival: .zero)
        for index in 1..<50 {
            let arrival = MediaTime.milliseconds(Int64(index) * 20)
            _ = timeline.note(sequence: nil, ticks: index % 2 == 0 ? ticks : ~ticks, arrival: arrival)
            #expect(abs((timeline.time(ticks, arrival: arrival) - arrival).rawValue) < 3_000_000_000)
        }
    }
}
