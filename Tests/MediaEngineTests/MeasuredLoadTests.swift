import MediaBase
import Testing

@testable import MediaEngine

@Suite("Load of a thread")
struct MeasuredLoadTests {
    /// Samples a thread that runs for a share of each of its turns, and at the end.
    private func sample(
        _ load: inout MeasuredLoad, _ share: Double, from start: MediaTime, to end: MediaTime, cpu: inout MediaTime,
        turn: MediaTime = .milliseconds(1)
    ) {
        var now = start
        while now < end {
            let next = min(now + turn, end)
            cpu += .seconds((next - now).seconds * share)
            now = next
            if now >= load.nextSample || now == end { load.sample(cpu: cpu, now: now) }
        }
    }

    @Test("Is the share of the last second", arguments: [0, 0.3, 0.7, 1], [1, 90, 350])
    func steady(share: Double, turnMilliseconds: Int64) {
        var load = MeasuredLoad()
        var cpu = MediaTime.seconds(100)
        load.sample(cpu: cpu, now: .zero)
        sample(&load, share, from: .zero, to: .seconds(20), cpu: &cpu, turn: .milliseconds(turnMilliseconds))
        #expect(abs(load.useOfLastSecond(now: .seconds(20)) - share) < 0.02)
    }

    @Test("Follows a change within a second")
    func change() {
        var load = MeasuredLoad()
        var cpu = MediaTime.zero
        sample(&load, 0, from: .zero, to: .seconds(5), cpu: &cpu)
        sample(&load, 1, from: .seconds(5), to: .milliseconds(5_500), cpu: &cpu)
        #expect(abs(load.useOfLastSecond(now: .milliseconds(5_500)) - 0.5) < 0.01)
        sample(&load, 1, from: .milliseconds(5_500), to: .milliseconds(6_100), cpu: &cpu)
        #expect(load.useOfLastSecond(now: .milliseconds(6_100)) > 0.99)
    }

    @Test("A thread that starts has been idle before")
    func start() {
        var load = MeasuredLoad()
        #expect(load.useOfLastSecond(now: .seconds(1)) == 0)
        var cpu = MediaTime.zero
        load.sample(cpu: cpu, now: .seconds(50))
        sample(&load, 1, from: .seconds(50), to: .milliseconds(50_200), cpu: &cpu)
        #expect(abs(load.useOfLastSecond(now: .milliseconds(50_200)) - 0.2) < 0.01)
    }

    @Test("A thread that sleeps without samples is idle")
    func idle() {
        var load = MeasuredLoad()
        var cpu = MediaTime.zero
        sample(&load, 1, from: .zero, to: .seconds(2), cpu: &cpu)
        #expect(load.useOfLastSecond(now: .milliseconds(2_600)) < 0.5)
        #expect(load.useOfLastSecond(now: .seconds(3)) == 0)
        // The first sample after a long sleep shows how little it has used.
        load.sample(cpu: cpu + .milliseconds(10), now: .seconds(12))
        #expect(load.useOfLastSecond(now: .seconds(12)) < 0.01)
    }
}
