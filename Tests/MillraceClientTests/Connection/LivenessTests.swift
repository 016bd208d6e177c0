import MediaBase
import Testing

@testable import MillraceClient

@Suite("Liveness of a connection") struct LivenessTests {
    @Test("CON-3 a ping is due each interval, and a connection is silent after 2.5 intervals") func pingsAndSilence() {
        var liveness = Liveness(interval: .seconds(10))
        let start = MediaTime.seconds(100)
        #expect(!liveness.isSilent(now: start))
        liveness.begin(now: start)
        #expect(liveness.deadline == start + .seconds(10))
        let first = [Int64(9_999), 10_000, 10_000].map { liveness.takePing(now: start + .milliseconds($0)) }
        #expect(first == [false, true, false])
        #expect(liveness.deadline == start + .seconds(20))
        let second = liveness.takePing(now: start + .seconds(20))
        #expect(second)
        // The connection counts as silent before the third ping is due.
        #expect(liveness.deadline == start + .seconds(25))
        #expect(!liveness.isSilent(now: start + .milliseconds(24_999)))
        #expect(liveness.isSilent(now: start + .seconds(25)))
        liveness.heard(now: start + .seconds(24))
        #expect(!liveness.isSilent(now: start + .seconds(25)))
        #expect(liveness.deadline == start + .seconds(30))
        #expect(liveness.isSilent(now: start + .seconds(49)))
    }

    @Test(
        "a zero, negative or infinite interval is clamped to 100 ms to 1 h",
        arguments: [
            (MediaTime.never, MediaTime.seconds(3_600)), (MediaTime.zero, MediaTime.milliseconds(100)),
            (MediaTime.seconds(-5), MediaTime.milliseconds(100)),
        ])
    func oddIntervals(asked: MediaTime, taken: MediaTime) {
        var liveness = Liveness(interval: asked)
        liveness.begin(now: .seconds(1))
        #expect(liveness.deadline == .seconds(1) + taken)
    }
}
