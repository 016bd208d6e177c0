import Testing
import WebRTCClient

@Suite("LIV-1 rules of a WHIP push, whatever happens") struct PushRandomTests {
    @Test(
        "Any order of events keeps the rules, and every resource is deleted", arguments: 1...20 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) {
        var restarts = 0
        var connections = 0
        for run in 0..<100 as Range<UInt64> {
            var model = PushServerModel(seed: seed &* 1_000 &+ run)
            for _ in 0..<200 where !model.machine.isEnded { model.step() }
            model.end()
            #expect(model.broken == [], "run \(run)")
            restarts += model.restarts
            connections += model.connections
        }
        // The random steps reach what they are for.
        #expect(restarts > 100 && connections > 300, "\(restarts) restarts, \(connections) connections")
    }
}
