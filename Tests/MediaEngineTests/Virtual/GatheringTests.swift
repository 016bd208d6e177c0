import MediaBase
import MediaEngine
import Testing

@Suite("Gathering of packets by load, in virtual time")
struct GatheringTests {
    /// Two audio publishers in one session, so that their packets wait for each other, and subscribers of one of them.
    private func audio(seed: UInt64, subscribers: Int) throws -> VirtualCall {
        // On another worker a new path is no reason to send the others' packets sooner.
        let call = try VirtualCall(seed: seed) { $0.workers = 1 }
        try call.publish(stream: "a", video: nil)
        // The packets of the second one do not arrive at the same time: otherwise they would be sent together.
        call.run(seconds: 0.307)
        try call.publish(stream: "b", video: nil)
        call.run(seconds: 0.5)
        for _ in 0..<subscribers { try call.view(stream: "a", video: false) }
        return call
    }

    /// Runs the call while the worker's thread uses a share of its core.
    private func run(_ call: VirtualCall, seconds: Double, load: Double) {
        for _ in 0..<Int(seconds * 100) {
            call.relay.threadTime += .seconds(0.01 * load)
            call.run(seconds: 0.01)
        }
    }

    /// Returns the mean wait of the packets that were sent during `body`, in milliseconds.
    private func meanWait(_ call: VirtualCall, _ body: () -> Void) -> Double {
        let before = call.relay.counters.waiting
        body()
        let after = call.relay.counters.waiting
        #expect(after.total > before.total + 20)
        return (after.sum - before.sum).milliseconds / Double(max(1, after.total - before.total))
    }

    @Test("Packets wait for 1 ms on an unloaded worker and for the latency budget on a loaded one")
    func load() throws {
        let call = try audio(seed: 61, subscribers: 2)
        run(call, seconds: 2, load: 0)
        for (load, expected) in [(0.2, 1.0), (0.5, 1.5), (0.9, 2.0), (0.1, 1.0)] {
            run(call, seconds: 1.2, load: load)
            let wait = meanWait(call) { run(call, seconds: 1, load: load) }
            #expect(abs(wait - expected) < 0.1, "\(load): \(wait) ms")
        }
        let counters = call.relay.counters
        // Virtual time does not advance while packets are sent.
        #expect(counters.waiting.total == counters.delay.total && counters.waiting.sum == counters.delay.sum)
    }

    @Test("A new path does not wait for the latency budget in its first second")
    func newPath() throws {
        let call = try audio(seed: 62, subscribers: 1)
        run(call, seconds: 2, load: 0.9)
        let subscriber = try call.view(stream: "a", video: false)
        run(call, seconds: 0.3, load: 0.9)
        #expect(subscriber.connectedAt != nil)
        let first = meanWait(call) { run(call, seconds: 0.6, load: 0.9) }
        #expect(abs(first - 1) < 0.1, "\(first) ms")
        run(call, seconds: 0.4, load: 0.9)
        let later = meanWait(call) { run(call, seconds: 1, load: 0.9) }
        #expect(abs(later - 2) < 0.1, "\(later) ms")
    }
}
