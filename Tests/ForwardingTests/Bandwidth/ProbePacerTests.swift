import Forwarding
import MediaBase
import Testing

@Suite("Probes are sent at their rate")
struct ProbePacerTests {
    /// Returns the first probe of a new transport: 1.8 Mb/s.
    static func firstProbe() throws -> Probe {
        let estimator = BandwidthEstimator(now: .zero)
        let probe = estimator.takeProbe(now: .zero)
        return try #require(probe)
    }

    @Test("Ticks of 1 to 10 ms", arguments: [1, 3, 10] as [Int64])
    func rate(tick: Int64) throws {
        let probe = try Self.firstProbe()
        #expect(probe.bitrate == .kilobits(1_800) && probe.bytes >= 3_375)
        var pacer = ProbePacer(probe, now: .seconds(5))
        var sent: [(at: Int64, bytes: Int)] = []
        var now: Int64 = 0
        while !pacer.isDone, now < 1_000 {
            while pacer.due(now: .seconds(5) + .milliseconds(now)) > 0 {
                pacer.note(bytes: 600)
                sent.append((now, 600))
            }
            if let deadline = pacer.deadline { #expect(deadline > .seconds(5) + .milliseconds(now)) }
            now += tick
        }
        #expect(sent.reduce(0) { $0 + $1.bytes } >= probe.bytes)
        #expect(sent.first?.at == 0)
        let last = try #require(sent.last?.at)
        let expected = Int64(probe.duration.milliseconds)
        #expect(abs(last - expected) <= tick + 3, "\(last) of \(expected) ms")
    }

    @Test func whatCannotBeSentEnds() throws {
        var pacer = ProbePacer(try Self.firstProbe(), now: .zero)
        var calls = 0
        while !pacer.isDone, calls < 1_000 {
            pacer.note(bytes: 0)
            calls += 1
        }
        #expect(calls <= 100 && pacer.deadline == nil && pacer.due(now: .seconds(9)) == 0)
    }
}
