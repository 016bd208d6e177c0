import MediaBase
import MillraceTestKit
import Testing

@Suite("One link of the emulated network")
struct NetworkEmulatorTests {
    struct Run {
        /// Arrival of each datagram in ms; nil if it was lost.
        var arrivals: [Double?] = []
        var duplicates: [Double] = []
        var link: NetworkEmulator

        var losses: Int { arrivals.count { $0 == nil } }
        /// Lengths of runs of lost datagrams.
        var bursts: [Int] {
            arrivals.split { $0 != nil }.map(\.count)
        }
        /// Returns the delays from the time of sending, in ms.
        func delays(every interval: Double) -> [Double] {
            arrivals.enumerated().compactMap { i, arrival in arrival.map { $0 - Double(i) * interval } }
        }
    }

    /// Sends `count` datagrams, one each `interval` ms.
    static func run(
        _ conditions: LinkConditions, count: Int, bytes: Int = 1000, every interval: Int64 = 1, seed: UInt64 = 1
    ) -> Run {
        var run = Run(link: NetworkEmulator(conditions, seed: seed))
        for i in 0..<count {
            let arrivals = run.link.send(bytes: bytes, now: .milliseconds(Int64(i) * interval))
            run.arrivals.append(arrivals.first?.milliseconds)
            if let duplicate = arrivals.duplicate { run.duplicates.append(duplicate.milliseconds) }
        }
        return run
    }

    static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
    static func deviation(_ values: [Double]) -> Double {
        let mean = mean(values)
        return (values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(values.count)).squareRoot()
    }

    @Test func doesNothingUnlessAsked() {
        let run = Self.run(LinkConditions(), count: 1000)
        #expect(run.arrivals.enumerated().allSatisfy { $1 == Double($0) })
        #expect(run.link.statistics.delivered == 1000 && run.link.statistics.deliveredBytes == 1_000_000)
        #expect(run.duplicates.isEmpty)
    }

    @Test("Uniform loss: its rate, and bursts of 1 / (1 - rate)", arguments: [0.01, 0.05, 0.1, 0.5])
    func uniformLoss(rate: Double) {
        let count = 100_000
        let run = Self.run(LinkConditions(loss: rate, delay: .zero), count: count)
        // Five deviations of the binomial distribution.
        let tolerance = 5 * (rate * (1 - rate) / Double(count)).squareRoot()
        #expect(abs(Double(run.losses) / Double(count) - rate) < tolerance)
        #expect(abs(Self.mean(run.bursts.map(Double.init)) / (1 / (1 - rate)) - 1) < 0.1)
        #expect(run.link.statistics.lost == run.losses)
    }

    @Test("No loss and total loss", arguments: [0.0, 1.0])
    func extremeLoss(rate: Double) {
        #expect(Self.run(LinkConditions(loss: rate, delay: .zero), count: 1000).losses == Int(rate * 1000))
    }

    @Test(
        "Gilbert-Elliott: rate and length of bursts match the chain's",
        arguments: [(0.05, 3), (0.01, 5), (0.2, 10), (0.3, 1.5)] as [(Double, Double)])
    func burstLoss(loss: Double, length: Double) {
        let chain = GilbertElliott.bursts(loss: loss, length: length)
        #expect(abs(chain.expectedLoss - loss) < 1e-12 && abs(chain.expectedBurst - length) < 1e-12)
        var conditions = LinkConditions()
        conditions.loss = .bursts(chain)
        let count = 300_000
        let run = Self.run(conditions, count: count)
        // Four deviations of the sum of as many bursts, whose lengths are geometric: mean L, variance L^2 - L.
        let expected = Double(count) * loss / length
        let tolerance = 4 * ((2 - 1 / length) / expected).squareRoot()
        #expect(abs(Double(run.losses) / Double(count) / loss - 1) < tolerance, "\(run.losses)")
        let bursts = run.bursts.map(Double.init)
        #expect(abs(Self.mean(bursts) / length - 1) < 4 * (1 / expected).squareRoot(), "\(Self.mean(bursts))")
        let single = Double(bursts.count { $0 == 1 }) / Double(bursts.count)
        #expect(abs(single - 1 / length) < 4 * (0.25 / expected).squareRoot(), "\(single)")
    }

    @Test("Gilbert-Elliott with loss in both states")
    func burstLossInBothStates() {
        let chain = GilbertElliott(toBad: 0.02, toGood: 0.1, lossInGood: 0.01, lossInBad: 0.6)
        var conditions = LinkConditions()
        conditions.loss = .bursts(chain)
        let run = Self.run(conditions, count: 300_000)
        #expect(abs(chain.expectedLoss - (0.6 / 6 + 0.01 * 5 / 6)) < 1e-12)
        #expect(abs(Double(run.losses) / 300_000 / chain.expectedLoss - 1) < 0.06)
    }

    @Test("A bottleneck passes at most its rate, and its queue is bounded")
    func rate() throws {
        var conditions = LinkConditions(delay: .milliseconds(10))
        conditions.rate = .kilobits(1000)
        conditions.queue = 25_000
        // 8 Mb/s for 10 s.
        let run = Self.run(conditions, count: 10_000)
        let statistics = run.link.statistics
        let last = try #require(run.arrivals.last { $0 != nil } ?? nil)
        let passed = Double(statistics.deliveredBytes) * 8 / (last - 10)
        #expect(abs(passed - 1000) < 1, "\(passed) kb/s")
        #expect(statistics.overflowed + statistics.delivered == 10_000)
        // 25,000 bytes take 200 ms.
        let delays = run.delays(every: 1)
        #expect(delays.max()! <= 210 && delays.max()! > 195, "\(delays.max()!)")
        #expect(delays.first == 18, "8 ms of transmission and 10 of delay")
    }

    @Test func aBottleneckThatIsNotFullDelaysByTransmissionOnly() {
        var conditions = LinkConditions()
        conditions.rate = .kilobits(1000)
        let run = Self.run(conditions, count: 1000, bytes: 125, every: 2)
        #expect(run.delays(every: 2).allSatisfy { $0 == 1 })
    }

    @Test func theRateChangesWithWhatWaits() {
        var conditions = LinkConditions()
        conditions.rate = .kilobits(800)
        var link = NetworkEmulator(conditions, seed: 1)
        for _ in 0..<10 { _ = link.send(bytes: 1000, now: .zero) }
        #expect(link.backlog(now: .zero) == 10_000 && link.backlog(now: .milliseconds(50)) == 5000)
        conditions.rate = .kilobits(80)
        link.change(to: conditions, now: .milliseconds(50))
        #expect(link.backlog(now: .milliseconds(50)) == 5000)
        #expect(link.send(bytes: 1000, now: .milliseconds(50)).first == .milliseconds(650))
        conditions.rate = nil
        link.change(to: conditions, now: .milliseconds(60))
        #expect(link.backlog(now: .milliseconds(60)) == 0)
        #expect(link.send(bytes: 1000, now: .milliseconds(60)).first == .milliseconds(650), "order is kept")
    }

    @Test("Uniform jitter: from zero to its size, with mean and deviation of a uniform distribution")
    func evenJitter() {
        var conditions = LinkConditions(delay: .milliseconds(30))
        conditions.jitter = .uniform(.milliseconds(40))
        conditions.jitterReorders = true
        let run = Self.run(conditions, count: 50_000)
        let delays = run.delays(every: 1)
        #expect(delays.min()! >= 30 && delays.max()! < 70)
        #expect(abs(Self.mean(delays) - 50) < 0.5)
        #expect(abs(Self.deviation(delays) - 40 / 12.0.squareRoot()) < 0.2)
        for quarter in 0..<4 {
            let range = (30 + Double(quarter) * 10)..<(40 + Double(quarter) * 10)
            #expect(abs(Double(delays.count { range.contains($0) }) / 50_000 - 0.25) < 0.01)
        }
        let came = run.arrivals.compactMap { $0 }
        #expect(zip(came, came.dropFirst()).contains { $0 > $1 }, "it reorders")
    }

    @Test("Bell-shaped jitter: mean, deviation, and the shares within one and two deviations")
    func bellJitter() {
        var conditions = LinkConditions(delay: .milliseconds(100))
        conditions.jitter = .bell(.milliseconds(10))
        conditions.jitterReorders = true
        let delays = Self.run(conditions, count: 50_000).delays(every: 1)
        #expect(abs(Self.mean(delays) - 100) < 0.3)
        #expect(abs(Self.deviation(delays) - 10) < 0.2)
        #expect(delays.min()! >= 65 && delays.max()! <= 135)
        #expect(abs(Double(delays.count { abs($0 - 100) < 10 }) / 50_000 - 0.67) < 0.02)
        #expect(abs(Double(delays.count { abs($0 - 100) < 20 }) / 50_000 - 0.957) < 0.01)
        conditions.delay = .milliseconds(5)
        #expect(Self.run(conditions, count: 1000).delays(every: 1).min()! >= 0, "nothing comes before it was sent")
    }

    @Test func jitterKeepsTheOrderUnlessAsked() {
        var conditions = LinkConditions(delay: .milliseconds(30))
        conditions.jitter = .uniform(.milliseconds(40))
        let came = Self.run(conditions, count: 10_000).arrivals.compactMap { $0 }
        #expect(zip(came, came.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(Set(came).count < came.count, "some wait for others")
    }

    @Test("The share held back is overtaken by others")
    func reordering() {
        var conditions = LinkConditions(delay: .milliseconds(10))
        conditions.reordering = 0.1
        conditions.reorderingDelay = .milliseconds(25)
        let run = Self.run(conditions, count: 20_000)
        let delays = run.delays(every: 1)
        #expect(delays.allSatisfy { $0 == 10 || $0 == 35 })
        #expect(abs(Double(delays.count { $0 == 35 }) / 20_000 - 0.1) < 0.011)
        #expect(run.link.statistics.heldBack == delays.count { $0 == 35 })
    }

    @Test func duplication() {
        var conditions = LinkConditions(delay: .milliseconds(10))
        conditions.duplication = 0.2
        let run = Self.run(conditions, count: 20_000)
        #expect(abs(Double(run.duplicates.count) / 20_000 - 0.2) < 0.015)
        #expect(run.link.statistics.duplicated == run.duplicates.count)
        #expect(run.link.statistics.delivered == 20_000 + run.duplicates.count)
    }

    @Test func dropsWhatIsTooLarge() {
        var conditions = LinkConditions()
        conditions.largestDatagram = 1200
        var link = NetworkEmulator(conditions, seed: 1)
        #expect(link.send(bytes: 1200, now: .zero).first == .zero)
        #expect(link.send(bytes: 1201, now: .zero).first == nil)
        #expect(link.statistics.oversized == 1)
    }

    @Test("The same seed gives the same run, another one another")
    func seeds() {
        var conditions = LinkConditions(loss: 0.1, delay: .milliseconds(10))
        conditions.jitter = .bell(.milliseconds(5))
        conditions.duplication = 0.05
        let first = Self.run(conditions, count: 2000, seed: 5)
        #expect(first.arrivals == Self.run(conditions, count: 2000, seed: 5).arrivals)
        #expect(first.arrivals != Self.run(conditions, count: 2000, seed: 6).arrivals)
    }
}
