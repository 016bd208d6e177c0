import MediaBase
import Testing

@testable import MediaEngine

@Suite("Published load of a worker")
struct PublishedLoadTests {
    @Test("A published load falls to 0 within the second after it, because the worker sleeps")
    func published() {
        let load = PublishedLoad()
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
