import MediaBase
import Testing

@testable import MediaEngine

@Suite("Load of a worker")
struct WorkerLoadTests {
    /// Takes a reading at each due time of a period in which the thread uses a part of one core.
    /// - Returns: the last load.
    private func run(
        _ meter: inout LoadMeter, _ cpu: inout MediaTime, from start: MediaTime, seconds: Double, percent: Int64
    ) -> Int {
        var load = 0
        var now = start
        while now < start + .seconds(seconds) {
            load = meter.read(cpu: cpu, now: now)
            #expect(meter.due == now + LoadMeter.interval)
            now += LoadMeter.interval
            cpu += MediaTime(rawValue: LoadMeter.interval.rawValue / 100 * percent)
        }
        return load
    }

    @Test("The load is the CPU use of the last second", arguments: [Int64(0), 1, 50, 99, 100])
    func steady(_ percent: Int64) {
        var meter = LoadMeter()
        var cpu = MediaTime.seconds(1234)
        #expect(run(&meter, &cpu, from: .seconds(5), seconds: 3, percent: percent) == Int(10 * percent))
    }

    @Test("A change shows in full after one second")
    func change() {
        var meter = LoadMeter()
        var cpu = MediaTime.zero
        _ = run(&meter, &cpu, from: .zero, seconds: 3, percent: 20)
        #expect(run(&meter, &cpu, from: .seconds(3), seconds: 0.6, percent: 80) == 500)
        #expect(run(&meter, &cpu, from: .seconds(3.6), seconds: 0.5, percent: 80) == 800)
    }

    @Test("The load before a sleep is not part of the load after it, apart from the 100 ms before")
    func afterPause() {
        var meter = LoadMeter()
        var cpu = MediaTime.zero
        _ = run(&meter, &cpu, from: .zero, seconds: 3, percent: 90)
        #expect(meter.read(cpu: cpu, now: .seconds(60)) == 90)
        #expect(meter.read(cpu: cpu, now: .seconds(61)) == 0)
    }

    @Test("The first reading, a clock that goes back and more than one core give 0 to 1,000")
    func bounds() {
        var meter = LoadMeter()
        #expect(meter.read(cpu: .seconds(100), now: .zero) == 0)
        #expect(meter.read(cpu: .seconds(99), now: .milliseconds(100)) == 0)
        #expect(meter.read(cpu: .never, now: .milliseconds(200)) == 1000)
    }

    @Test("No reading is due in virtual time") func virtual() {
        #expect(LoadMeter(isRunning: false).due == .never && LoadMeter().due == .zero)
    }

    @Test("A published load falls to 0 within the second after it, because the worker sleeps")
    func published() {
        let load = WorkerLoad()
        #expect(load.load(at: .seconds(50)) == 0, "before the first measurement")
        load.publish(800, at: .seconds(50))
        #expect(load.load(at: .seconds(50)) == 800)
        #expect(load.load(at: .seconds(50.5)) == 400)
        #expect(load.load(at: .seconds(51)) == 0 && load.load(at: .seconds(1_000_000)) == 0)
        #expect(load.load(at: .seconds(49)) == 800, "read with an older time")
        load.publish(0, at: .seconds(52))
        #expect(load.load(at: .seconds(52)) == 0)
        load.publish(.max, at: .seconds(53))
        #expect(load.load(at: .seconds(53)) == 1000)
        load.publish(-1, at: .seconds(-1))
        #expect(load.load(at: .zero) == 0)
    }
}
