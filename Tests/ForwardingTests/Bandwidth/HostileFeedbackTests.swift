import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Feedback with arbitrary times")
struct HostileFeedbackTests {
    /// Checks the limits that hold whatever a peer reports.
    static func check(_ peer: FeedbackPeer, _ configuration: BandwidthEstimator.Configuration = .init()) {
        peer.handleTimeout()
        let estimator = peer.estimator
        #expect((configuration.minimum...configuration.maximum).contains(estimator.target))
        #expect((configuration.minimum...configuration.maximum).contains(estimator.capacity))
        #expect(estimator.pacingRate >= estimator.target && estimator.pacingRate <= .kilobits(200_000))
        #expect(estimator.queueDelay >= .zero && estimator.queueDelay <= .seconds(30))
        #expect(estimator.loss >= 0 && estimator.loss <= 1)
        #expect(estimator.deadline > peer.now && estimator.deadline < peer.now + .seconds(1))
        if let roundTrip = estimator.roundTrip { #expect(roundTrip > .zero && roundTrip < .seconds(10)) }
    }

    @Test(
        "20,000 feedback packets that each move the reference time as far as possible do not break a limit",
        arguments: [FeedbackPeer.largestStep, -FeedbackPeer.largestStep, -FeedbackPeer.largestStep - 1, 1 << 22])
    func runawayClock(step: Int32) {
        let peer = FeedbackPeer()
        for _ in 0..<20_000 {
            peer.exchange(step: step)
            peer.handleTimeout()
        }
        Self.check(peer)
        #expect(peer.estimator.clockJumps == 19_999)
        // After plausible feedback the estimate is plausible again.
        peer.behave(seconds: 20)
        Self.check(peer)
        #expect(!peer.estimator.isCongested && peer.estimator.queueDelay < .milliseconds(5))
        #expect(peer.estimator.target >= .kilobits(600))
    }

    @Test("Arrival times that run away within feedback packets do not break a limit", arguments: [Int16.max, .min])
    func runawayDeltas(delta: Int16) {
        let peer = FeedbackPeer()
        for _ in 0..<2_000 {
            let base = peer.send()
            for _ in 0..<9 { peer.send() }
            peer.advance(by: .milliseconds(20))
            let arrivals = (0..<10 as Range<UInt16>).map {
                TransportCC.Arrival(sequence: SequenceNumber(base &+ $0), delta: delta)
            }
            peer.acknowledge(arrivals, base: base, statusCount: 10, step: 0)
        }
        Self.check(peer)
    }

    @Test("A receiver's clock that runs for 30 days, with a wrap every 12.4 days, never counts as a jump")
    func wrappingClock() {
        let peer = FeedbackPeer()
        // 675 steps of 64 ms are 43.2 s.
        for _ in 0..<60_000 {
            peer.exchange(step: 675)
            peer.advance(by: .milliseconds(43_190))
        }
        #expect(peer.estimator.clockJumps == 0)
        Self.check(peer)
    }

    @Test("Feedback that a stalled connection delayed for 20 s is not a jump of the clock")
    func stalledFeedback() {
        let peer = FeedbackPeer()
        peer.behave(seconds: 5)
        let queue = peer.estimator.queueDelay
        let sequences = (0..<20).map { _ in peer.send() }
        peer.advance(by: .seconds(20))
        for sequence in sequences {
            peer.acknowledge(
                [TransportCC.Arrival(sequence: SequenceNumber(sequence), delta: 0)], base: sequence, statusCount: 1,
                step: 0)
        }
        #expect(peer.estimator.clockJumps == 0 && peer.estimator.queueDelay <= queue + .milliseconds(200))
    }

    @Test(
        "A receiver's clock that is set does not look like a queue, and the estimate continues",
        arguments: [-86_400, -3_600, -60, 60, 3_600, 86_400])
    func clockThatIsSet(seconds: Int) {
        let peer = FeedbackPeer()
        peer.behave(seconds: 5)
        let before = peer.estimator.target
        peer.behave(seconds: 5, clock: .seconds(Double(seconds)))
        #expect(peer.estimator.clockJumps == 1)
        #expect(!peer.estimator.isCongested && peer.estimator.queueDelay < .milliseconds(5))
        #expect(peer.estimator.target >= before)
        Self.check(peer)
    }

    /// Feeds feedback, reports and REMB with random contents from a seed.
    @Test("100,000 hostile messages do not break a limit", arguments: UInt64(1)...4)
    func property(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let peer = FeedbackPeer(now: .seconds(Double(random.below(1_000_000))))
        let steps: [Int32] = [0, 1, -1, FeedbackPeer.largestStep, -FeedbackPeer.largestStep - 1, 400, -400, 468, 469]
        let deltas: [Int16] = [0, 1, 255, 256, -1, .max, .min]
        func pick<T>(_ values: [T]) -> T { values[random.below(values.count)] }
        for round in 0..<100_000 {
            for _ in 0..<random.below(3) { peer.send(bytes: 1 + random.below(1_500), probe: UInt16(random.below(4))) }
            peer.advance(by: .microseconds(Int64(random.below(random.below(100) == 0 ? 30_000_000 : 5_000))))
            switch random.below(20) {
            case 0: peer.handleTimeout()
            case 1:
                _ = peer.estimator.takeProbe(now: peer.now)
                peer.estimator.wanted = Bitrate(bitsPerSecond: pick([0, 1, 1_000_000, .max]))
            case 2:
                peer.estimator.receive(
                    remb: Bitrate(rawValue: pick([.min, -1, 0, 1, 300_000, .max])), now: peer.now)
            case 3:
                let block = ReportBlock(
                    source: SSRC(1), fractionLost: pick([0, 1, 128, 255]), cumulativeLost: pick([.min, -1, 0, .max]),
                    highestSequence: .max, jitter: .max, lastSenderReport: .max, delaySinceLastSenderReport: .max)
                peer.estimator.receive(
                    reports: Array(repeating: block, count: random.below(32)),
                    roundTrip: pick([nil, .zero, .never, .milliseconds(50), MediaTime(rawValue: .min)]), now: peer.now)
            default:
                let newest = UInt16(truncatingIfNeeded: peer.next &- 1)
                let base =
                    random.below(8) == 0 ? UInt16(truncatingIfNeeded: random.next()) : newest &- pick([0, 1, 5, 60])
                let count = pick([0, 1, 2, 8, 60, 65_535] as [UInt16])
                var arrivals: [TransportCC.Arrival] = []
                var sequence = base
                for _ in 0..<random.below(8) {
                    arrivals.append(
                        TransportCC.Arrival(
                            sequence: SequenceNumber(sequence),
                            delta: random.below(3) == 0 ? pick(deltas) : Int16(truncatingIfNeeded: random.next())))
                    sequence &+= UInt16(1 + random.below(3))
                }
                peer.acknowledge(
                    arrivals, base: base, statusCount: count,
                    step: random.below(4) == 0 ? Int32(truncatingIfNeeded: random.next()) : pick(steps))
            }
            if round % 500 == 0 { Self.check(peer) }
        }
        Self.check(peer)
        peer.behave(seconds: 30)
        Self.check(peer)
        #expect(peer.estimator.queueDelay < .milliseconds(200))
    }
}
