import Forwarding
import MediaBase
import RTP
import Testing

@Suite("Bandwidth estimation by REMB and receiver reports")
struct ReportedPathTests {
    private let estimator: BandwidthEstimator

    /// A peer that was sent 1.5 Mb/s, with an estimate of 2 Mb/s after a second.
    init() {
        var configuration = BandwidthEstimator.Configuration()
        configuration.hasTransportFeedback = false
        estimator = BandwidthEstimator(configuration, now: .zero)
        estimator.used = .kilobits(1_500)
        estimator.wanted = .kilobits(1_800)
        estimator.receive(remb: .kilobits(2_000), now: .seconds(1))
    }

    private func tick(from: Double, to: Double, _ body: (MediaTime) -> Void = { _ in }) {
        for step in Int64(from * 20)..<Int64(to * 20) {
            let now = MediaTime.milliseconds(step * 50)
            if estimator.deadline <= now { estimator.handleTimeout(sent: nil, now: now) }
            body(now)
        }
    }

    private func report(lost: UInt8, at now: Double) {
        let block = ReportBlock(
            source: SSRC(1), fractionLost: lost, cumulativeLost: 0, highestSequence: 0, jitter: 0, lastSenderReport: 0,
            delaySinceLastSenderReport: 0)
        estimator.receive(reports: [block], roundTrip: nil, now: .seconds(now))
    }

    @Test("REMB that falls below the sent rate shows a full path; REMB that is low from the start does not")
    func fall() {
        #expect(!estimator.isCongested && !estimator.isHeld)
        estimator.receive(remb: .kilobits(130), now: .seconds(2))
        #expect(estimator.isFull && estimator.isCongested && estimator.isHeld)
        #expect(estimator.target == .kilobits(130))
        // The limit concerned the rate at that time; nothing shows yet that it is over.
        estimator.used = .kilobits(48)
        tick(from: 2, to: 4)
        #expect(!estimator.isFull && estimator.isHeld)

        let other = BandwidthEstimator(estimatorConfiguration, now: .zero)
        other.used = .kilobits(1_500)
        other.receive(remb: .kilobits(300), now: .seconds(1))
        other.receive(remb: .kilobits(320), now: .seconds(2))
        #expect(!other.isCongested && !other.isHeld)
    }

    @Test("One small fall of REMB shows no limit, a second one does")
    func doubt() {
        estimator.receive(remb: .kilobits(1_200), now: .seconds(2))
        #expect(estimator.target == .kilobits(1_200))
        // A fall that the receiver reverts at once was a delay of its own estimate.
        for step in 1...20 {
            estimator.receive(remb: .kilobits(1_200 + Int64(step) * 10), now: .milliseconds(2_000 + Int64(step) * 500))
        }
        #expect(!estimator.isCongested && !estimator.isHeld)

        estimator.receive(remb: .kilobits(1_250), now: .seconds(13))
        estimator.receive(remb: .kilobits(1_260), now: .milliseconds(13_100))
        #expect(!estimator.isHeld)
        estimator.receive(remb: .kilobits(1_200), now: .milliseconds(13_600))
        #expect(estimator.isFull && estimator.isHeld)
    }

    @Test("REMB that stays low after a small fall shows a limit")
    func staysLow() {
        for step in Int64(0)...4 { estimator.receive(remb: .kilobits(1_200), now: .milliseconds(2_000 + step * 500)) }
        #expect(!estimator.isHeld)
        estimator.receive(remb: .kilobits(1_200), now: .milliseconds(4_500))
        #expect(estimator.isHeld)
    }

    private var estimatorConfiguration: BandwidthEstimator.Configuration {
        var configuration = BandwidthEstimator.Configuration()
        configuration.hasTransportFeedback = false
        return configuration
    }

    @Test("Loss of most packets shows a full path, whatever REMB says")
    func loss() {
        report(lost: 220, at: 2)
        #expect(estimator.isFull && estimator.isHeld)
        #expect(estimator.target < .kilobits(300))
    }

    @Test("The rate of a probe counts once REMB rises after it, until REMB falls")
    func probes() throws {
        estimator.receive(remb: .kilobits(130), now: .seconds(2))
        estimator.used = .kilobits(48)
        var taken: (probe: Probe, at: MediaTime)?
        tick(from: 2, to: 5) { now in
            if taken == nil, let probe = estimator.takeProbe(now: now) { taken = (probe, now) }
        }
        let first = try #require(taken)
        #expect(first.at >= .milliseconds(3_500) && first.at <= .seconds(4))
        // 1.5 times the target, including the media that is sent anyway.
        #expect(first.probe.bitrate == .kilobits(147))
        // Only one probe at a time.
        #expect(estimator.takeProbe(now: .seconds(5)) == nil)
        estimator.receive(remb: .kilobits(132), now: .seconds(5))
        #expect(estimator.target == .kilobits(195) && estimator.isHeld)

        let second = try #require(estimator.takeProbe(now: .seconds(5)))
        #expect(second.bitrate == .kilobits(3 * 195 - 48))
        report(lost: 50, at: 5.5)
        estimator.receive(remb: .kilobits(140), now: .seconds(6))
        #expect(estimator.target == .kilobits(195), "a probe that lost packets did not pass")
        estimator.receive(remb: .kilobits(100), now: .seconds(9))
        #expect(estimator.target == .kilobits(100))
    }

    @Test("REMB above a probe's rate need not rise: a report without loss is enough")
    func probesBelowREMB() throws {
        report(lost: 220, at: 2)
        #expect(estimator.target == .kilobits(240))
        estimator.used = .kilobits(48)
        var taken: Probe?
        tick(from: 2, to: 5) { now in taken = taken ?? estimator.takeProbe(now: now) }
        #expect(try #require(taken).bitrate == .kilobits(360 - 48))
        report(lost: 0, at: 5.5)
        #expect(estimator.target == .kilobits(360) && estimator.isHeld)
    }

    @Test(
        "A peer that negotiated REMB and sends neither it nor reports gets three probes; the first REMB continues them")
    func unanswered() {
        let silent = BandwidthEstimator(estimatorConfiguration, now: .zero)
        silent.used = .kilobits(500)
        silent.wanted = .kilobits(1_800)
        func probes(from: Int64, to: Int64) -> Int {
            (from * 20..<to * 20).count { step in
                let now = MediaTime.milliseconds(step * 50)
                if silent.deadline <= now { silent.handleTimeout(sent: nil, now: now) }
                return silent.takeProbe(now: now) != nil
            }
        }
        #expect(probes(from: 0, to: 60) == 3)
        #expect(probes(from: 60, to: 600) == 0)
        #expect(silent.target == .kilobits(600))
        silent.receive(remb: .kilobits(700), now: .seconds(600))
        #expect(probes(from: 600, to: 630) >= 1)
    }

    @Test("Without probes a limit is over after 4 s, then after 8 s")
    func withoutProbes() {
        estimator.canProbe = false
        estimator.receive(remb: .kilobits(130), now: .seconds(2))
        estimator.used = .kilobits(48)
        tick(from: 2, to: 5.9)
        #expect(estimator.isHeld && estimator.target == .kilobits(130))
        tick(from: 5.9, to: 6.5)
        #expect(!estimator.isHeld && estimator.target == .kilobits(1_875))
        estimator.used = .kilobits(1_500)
        estimator.receive(remb: .kilobits(120), now: .milliseconds(6_500))
        estimator.used = .kilobits(48)
        #expect(estimator.isHeld && estimator.target == .kilobits(120))
        tick(from: 6.5, to: 14.4) { estimator.receive(remb: .kilobits(120), now: $0) }
        #expect(estimator.isHeld)
        tick(from: 14.4, to: 15) { estimator.receive(remb: .kilobits(120), now: $0) }
        #expect(!estimator.isHeld)
    }
}
