import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Bandwidth estimation with packets that could not be sent")
struct UnsentTests {
    @Test("A drop lowers the target at once, without feedback, and at most once in 200 ms")
    func atOnce() {
        let estimator = BandwidthEstimator(now: .zero)
        let before = estimator.target
        estimator.receive(unsent: 10, now: .seconds(1))
        let after = estimator.target
        #expect(after.rawValue < before.rawValue * 9 / 10 && after.rawValue > before.rawValue / 3)
        #expect(estimator.isFull && estimator.isCongested)
        for millisecond in 1..<200 {
            estimator.receive(unsent: 10, now: .seconds(1) + .milliseconds(Int64(millisecond)))
        }
        #expect(estimator.target == after)
        estimator.receive(unsent: 10, now: .seconds(1) + .milliseconds(200))
        #expect(estimator.target < after)
        for tick in 0..<10 { estimator.handleTimeout(sent: nil, now: .seconds(2) + .milliseconds(Int64(250 * tick))) }
        #expect(!estimator.isFull)
    }

    @Test("The rate that a peer allows falls with drops, until the peer reports it again")
    func remb() {
        var configuration = BandwidthEstimator.Configuration()
        configuration.hasTransportFeedback = false
        let estimator = BandwidthEstimator(configuration, now: .zero)
        estimator.receive(remb: .kilobits(2_000), now: .seconds(1))
        estimator.receive(unsent: 3, now: .seconds(1))
        #expect(estimator.target == .kilobits(1_700))
        estimator.receive(remb: .kilobits(2_000), now: .seconds(2))
        #expect(estimator.target == .kilobits(2_000))
    }

    @Test("Receiver reports do not count the numbers of unsent packets a second time")
    func reports() throws {
        var configuration = BandwidthEstimator.Configuration()
        configuration.hasTransportFeedback = false
        let told = BandwidthEstimator(configuration, now: .zero)
        let untold = BandwidthEstimator(configuration, now: .zero)
        for estimator in [told, untold] { estimator.receive(remb: .kilobits(2_000), now: .seconds(1)) }
        told.receive(unsent: 50, now: .seconds(2))
        told.receive(remb: .kilobits(2_000), now: .seconds(2))
        let block = ReportBlock(
            source: SSRC(1), fractionLost: 200, cumulativeLost: 50, highestSequence: 100, jitter: 0,
            lastSenderReport: 0,
            delaySinceLastSenderReport: 0)
        for estimator in [told, untold] {
            estimator.receive(reports: [block], roundTrip: nil, now: .milliseconds(2_500))
        }
        #expect(told.target == .kilobits(2_000))
        #expect(untold.target < .kilobits(1_000))
    }

    @Test("A withdrawn packet is neither acknowledged nor lost, whatever feedback says about it")
    func withdrawn() {
        let ring = UnsafeMutablePointer<SentPacketRing>.allocate(capacity: 1)
        ring.initialize(to: SentPacketRing())
        defer {
            ring.pointee.deallocate()
            ring.deallocate()
        }
        // Across the wrap of the numbers.
        for i in 0..<65_600 {
            let number = ring.pointee.append(bytes: 1_000, now: .milliseconds(Int64(i)))
            if i % 2 == 0 { ring.pointee.withdraw(number) }
        }
        #expect(ring.pointee.bytes == 32_800 * 1_000)
        for i in 65_500..<65_600 { #expect((ring.pointee.find(Int64(i)) == nil) == (i % 2 == 0)) }
        // A second withdrawal has no effect, nor has that of a forgotten packet.
        ring.pointee.withdraw(UInt16(truncatingIfNeeded: 65_598))
        ring.pointee.withdraw(UInt16(truncatingIfNeeded: 10_000))
        #expect(ring.pointee.bytes == 32_800 * 1_000)
    }
}
