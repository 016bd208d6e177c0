import MediaBase
import MillraceTestKit
import Testing

@testable import MediaEngine

@Suite("Placement of sessions on workers")
struct SessionPlacementTests {
    /// Long after the last placement, so that no expected load is left.
    private static func later(_ seconds: Double) -> MediaTime { .seconds(100 + seconds) }

    /// Places a session and reports that its worker holds it.
    private func open(
        _ name: String, in placement: inout SessionPlacement, at now: MediaTime, loads: [Int]
    ) -> Int? {
        let worker = placement.begin(name, now: now) { loads[$0] }
        if worker != nil { placement.end(name, isHeld: true) }
        return worker
    }

    @Test(
        "A session goes to the worker with the least load, whatever the numbers of sessions",
        arguments: [([900, 300, 600], 1), ([0, 1000, 1000], 0), ([1000, 1000, 940], 2), ([50, 49, 50], 1)])
    func leastLoad(_ loads: [Int], _ expected: Int) {
        var placement = SessionPlacement(workers: 3, limit: 100)
        for number in 0..<5 {
            let now = Self.later(10 * Double(number))
            #expect(open("s\(number)", in: &placement, at: now, loads: loads) == expected)
        }
    }

    @Test("Among workers of about the same load the one with the fewest sessions is chosen, then the first")
    func ties() {
        var placement = SessionPlacement(workers: 3, limit: 100)
        let order = (0..<6).map { number in
            open("s\(number)", in: &placement, at: Self.later(10 * Double(number)), loads: [120, 101, 149])
        }
        #expect(order == [0, 1, 2, 0, 1, 2])
        placement.release("s4", by: 1)
        #expect(open("new", in: &placement, at: Self.later(100), loads: [120, 101, 149]) == 1)
    }

    @Test("Sessions that are placed at the same time are distributed before their load is measured")
    func burst() {
        var placement = SessionPlacement(workers: 2, limit: 1000)
        var counts = [0, 0]
        for number in 0..<200 {
            guard let worker = open("s\(number)", in: &placement, at: Self.later(0.3), loads: [100, 400]) else {
                continue
            }
            counts[worker] += 1
        }
        // The difference of the loads is that of 30 sessions.
        #expect(counts.reduce(0, +) == 200 && (25...35).contains(counts[0] - counts[1]), "\(counts)")
        // Two seconds later only the measured load counts.
        #expect(open("late", in: &placement, at: Self.later(2.3), loads: [400, 100]) == 1)
    }

    @Test("A session keeps its worker, whatever the loads become, until the worker releases it")
    func keeps() {
        var placement = SessionPlacement(workers: 2, limit: 10)
        #expect(open("a", in: &placement, at: Self.later(0), loads: [0, 500]) == 0)
        #expect(open("a", in: &placement, at: Self.later(10), loads: [900, 0]) == 0)
        #expect(placement.worker(of: "a") == 0 && placement.count == 1)
        placement.release("a", by: 1)
        #expect(placement.worker(of: "a") == 0, "released by a worker that does not hold it")
        placement.release("a", by: 0)
        #expect(placement.worker(of: "a") == nil && placement.count == 0)
        #expect(open("a", in: &placement, at: Self.later(20), loads: [900, 0]) == 1)
    }

    @Test("A call on its way keeps the worker of a session that ends meanwhile")
    func callsOnTheirWay() {
        var placement = SessionPlacement(workers: 2, limit: 10)
        #expect(open("a", in: &placement, at: Self.later(0), loads: [0, 0]) == 0)
        #expect(placement.begin("a", now: Self.later(1)) { [900, 0][$0] } == 0)
        placement.release("a", by: 0)
        #expect(placement.begin("a", now: Self.later(2)) { [900, 0][$0] } == 0)
        placement.end("a", isHeld: false)
        #expect(placement.worker(of: "a") == 0)
        placement.end("a", isHeld: nil)
        #expect(placement.worker(of: "a") == nil && placement.count == 0)
    }

    @Test("A refused call leaves nothing, and does not release a session that its worker holds")
    func refusedCalls() {
        var placement = SessionPlacement(workers: 2, limit: 10)
        _ = placement.begin("a", now: Self.later(0)) { _ in 0 }
        placement.end("a", isHeld: nil)
        #expect(placement.count == 0)
        #expect(open("b", in: &placement, at: Self.later(1), loads: [0, 0]) == 0)
        _ = placement.begin("b", now: Self.later(1)) { _ in 0 }
        placement.end("b", isHeld: nil)
        #expect(placement.worker(of: "b") == 0)
    }

    @Test("At the limit new names are refused, and known ones and unknown ones change nothing")
    func limit() {
        var placement = SessionPlacement(workers: 2, limit: 3)
        for name in ["a", "b", "c"] { #expect(open(name, in: &placement, at: Self.later(0), loads: [0, 0]) != nil) }
        #expect(open("d", in: &placement, at: Self.later(0), loads: [0, 0]) == nil)
        #expect(open("a", in: &placement, at: Self.later(0), loads: [0, 0]) == 0)
        for number in 0..<100 {
            #expect(placement.worker(of: "unknown\(number)") == nil)
            placement.release("unknown\(number)", by: 0)
            placement.end("unknown\(number)", isHeld: true)
        }
        #expect(placement.count == 3)
        placement.release("b", by: 1)
        #expect(open("d", in: &placement, at: Self.later(0), loads: [0, 0]) != nil && placement.count == 3)
    }

    @Test("Over any history no name has two workers, and nothing remains of ended sessions", arguments: UInt64(1)...20)
    func histories(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var placement = SessionPlacement(workers: 3, limit: 8)
        /// Calls on their way and whether the worker holds the session, by name; only for names with a worker.
        var model: [String: (worker: Int, calls: Int, isHeld: Bool)] = [:]
        var now = MediaTime.seconds(1)
        for _ in 0..<2000 {
            now += .milliseconds(Int64(random.below(400)))
            let name = "s\(random.below(12))"
            switch random.below(4) {
            case 0, 1:
                let loads = (0..<3).map { _ in random.below(1001) }
                let worker = placement.begin(name, now: now) { loads[$0] }
                if let known = model[name] {
                    #expect(worker == known.worker)
                    model[name]?.calls += 1
                } else if let worker {
                    model[name] = (worker, 1, false)
                } else {
                    #expect(model.count == 8)
                }
            case 2:
                guard let known = model[name], known.calls > 0 else { continue }
                let isHeld = [true, false, nil][random.below(3)]
                placement.end(name, isHeld: isHeld)
                model[name] = (known.worker, known.calls - 1, isHeld ?? known.isHeld)
            default:
                let worker = random.below(3)
                placement.release(name, by: worker)
                if model[name]?.worker == worker { model[name]?.isHeld = false }
            }
            if let known = model[name], known.calls == 0, !known.isHeld { model[name] = nil }
            #expect(placement.count == model.count && placement.worker(of: name) == model[name]?.worker)
        }
        for (name, known) in model {
            for _ in 0..<known.calls { placement.end(name, isHeld: nil) }
            placement.release(name, by: known.worker)
        }
        #expect(placement.count == 0)
        // The workers have no sessions left: three new ones are distributed.
        let last = (0..<3).map { open("end\($0)", in: &placement, at: now + .seconds(10), loads: [0, 0, 0]) }
        #expect(last == [0, 1, 2])
    }

    @Test("A subscriber stays on the home worker until that is loaded, then goes to the worker with the least load")
    func subscribers() {
        var placement = SessionPlacement(workers: 3, limit: 10)
        func worker(_ loads: [Int], spreadLoad: Int = 600) -> Int? {
            placement.beginSubscriber("a", opens: false, spreadLoad: spreadLoad, now: Self.later(0)) { loads[$0] }?
                .worker
        }
        #expect(worker([0, 0, 0]) == nil)
        #expect(open("a", in: &placement, at: Self.later(0), loads: [0, 500, 500]) == 0)
        #expect(worker([599, 0, 0]) == 0)
        #expect(worker([600, 100, 0]) == 2)
        #expect(worker([900, 100, 200]) == 1)
        // No other worker has less load.
        #expect(worker([900, 920, 999]) == 0)
        // With a limit of 0 the subscribers of every session are spread.
        #expect(Set((0..<3).compactMap { _ in worker([0, 0, 0], spreadLoad: 0) }) == [0, 1, 2])
        // Until the home worker holds the session, there is nothing to copy.
        _ = placement.begin("new", now: Self.later(0)) { _ in 0 }
        let early = placement.beginSubscriber("new", opens: true, spreadLoad: 0, now: Self.later(0)) { _ in 0 }
        #expect(early.map { $0.home == $0.worker } == true)
    }
}
