import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Bandwidth estimation over simulated paths (draft-ietf-rmcat-gcc-02)")
struct BandwidthEstimatorTests {
    static let layers: [AllocatedTrack.Encoding] = [
        .init(height: 180, bitrates: [.kilobits(90), .kilobits(150)]),
        .init(height: 360, bitrates: [.kilobits(300), .kilobits(500)]),
        .init(height: 720, bitrates: [.kilobits(1_000), .kilobits(1_700)]),
    ]

    static func simulate(_ change: (inout PathSimulation.Options) -> Void) -> PathSimulation {
        var options = PathSimulation.Options()
        change(&options)
        return PathSimulation(options)
    }

    static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(values.count, 1)) }

    static func deviation(_ values: [Double]) -> Double {
        let mean = mean(values)
        return Self.mean(values.map { ($0 - mean) * ($0 - mean) }).squareRoot()
    }

    /// Returns the quantile of the values at `share`.
    static func quantile(_ values: [Double], _ share: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
    }

    @Test(
        "The target finds the rate of the link within 3 s",
        arguments: [300, 500, 1_000, 2_000, 3_000, 6_000, 12_000] as [Double], 1...3 as ClosedRange<UInt64>)
    func converges(kilobits: Double, seed: UInt64) {
        let simulation = Self.simulate {
            $0.link.rate = kilobits * 1_000
            $0.seed = seed
        }
        simulation.run(seconds: 10)
        let targets = simulation.samples(from: 3, to: 10).map(\.target)
        let share = Self.mean(targets) / (kilobits * 1_000)
        #expect((0.83...1.05).contains(share), "\(share)")
        #expect(Self.quantile(simulation.samples(from: 3, to: 10).map(\.queue), 0.9) < 150)
    }

    @Test(
        "The target also finds it if probes leave in one burst", arguments: [500, 2_000, 6_000, 1_000_000] as [Double])
    func convergesWithBursts(kilobits: Double) {
        let simulation = Self.simulate {
            $0.link.rate = kilobits * 1_000
            $0.source = .layers(Self.layers)
            $0.probesInBursts = true
        }
        simulation.run(seconds: 10)
        let targets = simulation.samples(from: 3, to: 10).map(\.target)
        let expected = min(kilobits * 1_000, 2_000_000)
        #expect((0.8...1.9).contains(Self.mean(targets) / expected), "\(Self.mean(targets))")
        #expect(Self.quantile(simulation.samples(from: 3, to: 10).map(\.queue), 0.9) < 100)
    }

    @Test("In steady state the target is steady and the queue short", arguments: 1...4 as ClosedRange<UInt64>)
    func steady(seed: UInt64) {
        let simulation = Self.simulate { $0.seed = seed }
        simulation.run(seconds: 60)
        let samples = simulation.samples(from: 10, to: 60)
        let mean = Self.mean(samples.map(\.target))
        #expect((1_600_000...2_050_000).contains(mean), "\(mean)")
        #expect(Self.deviation(samples.map(\.target)) / mean < 0.08)
        #expect(Self.mean(samples.map(\.queue)) < 30)
        #expect(Self.quantile(samples.map(\.queue), 0.99) < 120)
        #expect(Self.mean(samples.map(\.received)) > 1_600_000)
    }

    @Test(
        "A link that narrows to 500 kb/s and opens again, with a source that follows the target",
        arguments: 1...4 as ClosedRange<UInt64>)
    func narrows(seed: UInt64) throws {
        let simulation = Self.simulate {
            $0.link.rate = 3_000_000
            $0.seed = seed
        }
        simulation.run(seconds: 10)
        simulation.link.conditions.rate = 500_000
        simulation.run(seconds: 20)
        simulation.link.conditions.rate = 3_000_000
        simulation.run(seconds: 20)
        let fallen = try #require(simulation.samples.first { $0.time > 10 && $0.target <= 500_000 })
        #expect(fallen.time < 11, "\(fallen.time)")
        let after = simulation.samples(from: 12.2, to: 30)
        #expect(simulation.samples(from: 12, to: 13).map(\.queue).min() ?? .infinity < 100)
        #expect(Self.quantile(after.map(\.queue), 0.9) < 120)
        let share = Self.mean(after.map(\.capacity)) / 500_000
        #expect((0.75...1.05).contains(share), "\(share)")
        let back = try #require(simulation.samples.first { $0.time > 30 && $0.target >= 2_250_000 })
        #expect(back.time < 40, "\(back.time)")
        #expect(Self.mean(simulation.samples(from: 40, to: 50).map(\.target)) > 2_400_000)
    }

    @Test("The same with layers: down within 2 s, up within 10 s", arguments: 1...8 as ClosedRange<UInt64>)
    func narrowsWithLayers(seed: UInt64) throws {
        let simulation = Self.simulate {
            $0.link.rate = 3_000_000
            $0.source = .layers(Self.layers)
            $0.seed = seed
        }
        simulation.run(seconds: 10)
        #expect(simulation.samples.last?.layer == 2)
        simulation.link.conditions.rate = 500_000
        simulation.run(seconds: 20)
        simulation.link.conditions.rate = 3_000_000
        simulation.run(seconds: 15)
        let down = try #require(simulation.samples.first { $0.time > 10 && $0.layer < 2 })
        #expect(down.time < 11.0, "\(down.time)")
        let narrow = simulation.samples(from: 12.2, to: 30)
        #expect(narrow.allSatisfy { (0...1).contains($0.layer) })
        #expect(narrow.map(\.queue).max() ?? 0 < 150)
        let up = try #require(simulation.samples.first { $0.time > 30 && $0.layer == 2 })
        #expect(up.time < 40, "\(up.time)")
        // The target then stays, and it did not flap while the link was narrow.
        #expect(simulation.changes.count(where: { $0.time > 12 && $0.time < 30 }) <= 2)
        #expect(simulation.samples(from: up.time, to: 45).allSatisfy { $0.layer == 2 })
    }

    @Test(
        "Random loss without a queue does not starve the video", arguments: [0.02, 0.05, 0.1, 0.15],
        1...2 as ClosedRange<UInt64>)
    func randomLoss(loss: Double, seed: UInt64) {
        let video = Self.simulate {
            $0.source = .fixed(1_200_000)
            $0.link.loss = loss
            $0.seed = seed
        }
        video.run(seconds: 60)
        let targets = video.samples(from: 3, to: 60).map(\.target)
        #expect(Self.mean(targets) > 1_250_000)
        #expect(Self.quantile(targets, 0.05) > 0.8 * 1_250_000)
        let greedy = Self.simulate {
            $0.link.loss = loss
            $0.seed = seed
        }
        greedy.run(seconds: 60)
        let share = Self.mean(greedy.samples(from: 5, to: 60).map(\.target)) / 2_000_000
        #expect(share > 0.7, "\(share)")
    }

    @Test("A path that drops instead of queueing", arguments: 1...4 as ClosedRange<UInt64>)
    func shortQueue(seed: UInt64) {
        let simulation = Self.simulate {
            $0.link.queue = 20
            $0.seed = seed
        }
        simulation.run(seconds: 60)
        let samples = simulation.samples(from: 10, to: 60)
        let share = Self.mean(samples.map(\.target)) / 2_000_000
        #expect((0.7...1.15).contains(share), "\(share)")
        let lost = 1 - Double(simulation.receivedPackets) / Double(simulation.sentPackets)
        #expect(lost < 0.14, "\(lost)")
    }

    @Test("Jitter, reordering, clock drift and lost feedback", arguments: 0..<6 as Range<Int>)
    func impairments(which: Int) {
        let simulation = Self.simulate {
            switch which {
            case 0: $0.link.jitter = 10
            case 1: $0.link.jitter = 30
            case 2: $0.link.reordering = 0.02
            case 3: $0.drift = 200
            case 4: $0.drift = -200
            default: $0.feedbackLoss = 0.3
            }
        }
        simulation.run(seconds: 40)
        let samples = simulation.samples(from: 5, to: 40)
        let share = Self.mean(samples.map(\.target)) / 2_000_000
        #expect((0.75...1.08).contains(share), "\(share)")
        #expect(Self.quantile(samples.map(\.queue), 0.9) < 120)
    }

    @Test func othersOnTheLinkAreLeftTheirPart() {
        let simulation = Self.simulate { $0.link.others = 1_000_000 }
        simulation.run(seconds: 30)
        let samples = simulation.samples(from: 5, to: 30)
        let share = Self.mean(samples.map(\.target)) / 1_000_000
        #expect((0.75...1.05).contains(share), "\(share)")
        #expect(Self.quantile(samples.map(\.queue), 0.9) < 120)
    }

    @Test("Sending little neither raises nor lowers the target", arguments: 1...4 as ClosedRange<UInt64>)
    func applicationLimited(seed: UInt64) {
        let simulation = Self.simulate {
            $0.link.rate = 3_000_000
            $0.link.jitter = 8
            $0.source = .fixed(300_000)
            $0.seed = seed
        }
        simulation.run(seconds: 60)
        let targets = simulation.samples(from: 2, to: 60).map(\.target)
        #expect(targets.max() ?? .infinity < 3_300_000)
        #expect(targets.min() ?? 0 > 2_000_000, "\(targets.min() ?? 0)")
        #expect(simulation.estimator.isApplicationLimited)
        #expect(simulation.probes.count <= 3, "nothing more is wanted")
    }

    @Test func withoutFeedbackTheTargetFallsAndComesBack() {
        let simulation = Self.simulate { _ in }
        simulation.run(seconds: 10)
        let before = simulation.estimator.target
        simulation.feedbackLoss = 1
        simulation.run(seconds: 1)
        #expect(simulation.estimator.target.rawValue > before.rawValue / 2)
        simulation.run(seconds: 9)
        #expect(simulation.estimator.target < .kilobits(200))
        simulation.feedbackLoss = 0
        simulation.run(seconds: 15)
        #expect(simulation.estimator.target > .kilobits(1_200))
    }

    @Test func aSilentTransportKeepsItsTarget() {
        let estimator = BandwidthEstimator(now: .zero)
        var ring = SentPacketRing()
        defer { ring.deallocate() }
        for step in 1...200 as ClosedRange<Int64> {
            withUnsafePointer(to: &ring) { estimator.handleTimeout(sent: $0, now: .milliseconds(step * 250)) }
        }
        #expect(estimator.target == .kilobits(600))
    }

    @Test("A peer that sends only REMB", arguments: 1...3 as ClosedRange<UInt64>)
    func remb(seed: UInt64) throws {
        let simulation = Self.simulate {
            $0.isREMB = true
            $0.link.rate = 3_000_000
            $0.source = .layers(Self.layers)
            $0.seed = seed
        }
        simulation.run(seconds: 30)
        let up = try #require(simulation.samples.first { $0.layer == 2 })
        #expect(up.time < 30, "\(up.time)")
        simulation.link.conditions.rate = 700_000
        simulation.run(seconds: 5)
        #expect(simulation.samples.last?.layer ?? 2 < 2)
        #expect(simulation.estimator.target < .kilobits(800))
    }

    @Test func theSameSeedGivesTheSameRun() {
        func run(_ seed: UInt64) -> [Double] {
            let simulation = Self.simulate {
                $0.seed = seed
                $0.link.loss = 0.05
                $0.link.jitter = 10
            }
            simulation.run(seconds: 10)
            return simulation.samples.flatMap { [$0.target, $0.received, $0.queue] }
        }
        #expect(run(5) == run(5))
        #expect(run(5) != run(6))
    }

    @Test("The target stays within its limits", arguments: [100, 400, 5_000] as [Int64])
    func limits(maximum: Int64) {
        let simulation = Self.simulate {
            $0.configuration.maximum = .kilobits(maximum)
            $0.configuration.minimum = .kilobits(60)
            $0.link.rate = 20_000_000
        }
        simulation.run(seconds: 10)
        #expect(simulation.samples.allSatisfy { $0.target >= 60_000 && $0.target <= Double(maximum) * 1_000 })
        #expect(simulation.samples.last?.target ?? 0 > Double(maximum) * 800)
        #expect(simulation.probes.allSatisfy { $0.probe.bitrate <= .kilobits(maximum) && $0.probe.id != 0 })
    }

    @Test("Any feedback, true or not, keeps the target within its limits", arguments: 0..<30 as Range<UInt64>)
    func hostile(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let estimator = BandwidthEstimator(now: .zero)
        estimator.wanted = .kilobits(5_000)
        var ring = SentPacketRing()
        defer { ring.deallocate() }
        var now = MediaTime.zero
        for _ in 0..<2_000 {
            now += .milliseconds(Int64(random.below(60)))
            for _ in 0..<random.below(30) {
                _ = ring.append(bytes: random.below(1_500), probe: UInt16(random.below(4)), now: now)
            }
            let base =
                UInt16(truncatingIfNeeded: ring.next) &- UInt16(random.below(random.below(10) == 0 ? 65_536 : 40))
            let count = UInt16(random.below(random.below(20) == 0 ? 65_536 : 60))
            var arrivals: [TransportCC.Arrival] = []
            for offset in 0..<min(count, 200) where random.below(3) != 0 {
                let delta = random.below(10) == 0 ? Int16(truncatingIfNeeded: random.next()) : Int16(random.below(200))
                arrivals.append(.init(sequence: SequenceNumber(base &+ offset), delta: delta))
            }
            let reference =
                random.below(10) == 0 ? Int32(random.below(1 << 24)) - (1 << 23) : Int32(now.rawValue / 64_000_000)
            let feedback = TransportCC(
                sender: SSRC(1), media: SSRC(2), baseSequence: SequenceNumber(base), statusCount: count,
                referenceTime: reference, feedbackCount: 0, arrivals: arrivals)
            withUnsafePointer(to: &ring) { ring in
                estimator.receive(feedback, sent: ring, now: now)
                estimator.handleTimeout(sent: ring, now: now)
            }
            if random.below(50) == 0 {
                estimator.receive(remb: Bitrate(rawValue: Int64(bitPattern: random.next())), now: now)
            }
            let report = ReportBlock(
                source: SSRC(1), fractionLost: UInt8(random.below(256)), cumulativeLost: 0, highestSequence: 0,
                jitter: 0,
                lastSenderReport: 0, delaySinceLastSenderReport: 0)
            estimator.receive(
                reports: [report], roundTrip: MediaTime(rawValue: Int64(truncatingIfNeeded: random.next())), now: now)
            if let probe = estimator.takeProbe(now: now) { #expect(probe.bytes > 0 && probe.bytes < 2_000_000) }
            #expect(estimator.target >= .kilobits(50) && estimator.target <= .kilobits(50_000))
            #expect(estimator.capacity >= estimator.target)
            #expect((0...1).contains(estimator.loss))
        }
    }
}
