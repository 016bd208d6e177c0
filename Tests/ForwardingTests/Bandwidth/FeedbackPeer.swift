import Forwarding
import MediaBase
import MillraceTestKit
import RTP

/// An estimator, the packets sent under it, and a peer that writes arbitrary feedback about them, in virtual time.
final class FeedbackPeer {
    /// The reference time is a signed 24-bit number.
    static let largestStep: Int32 = 1 << 23 - 1

    let estimator: BandwidthEstimator
    private(set) var now: MediaTime
    private(set) var reference: Int32 = 0
    private var ring = SentPacketRing()
    private var feedbackCount: UInt8 = 0

    init(now: MediaTime = .seconds(1_000), _ configuration: BandwidthEstimator.Configuration = .init()) {
        self.now = now
        estimator = BandwidthEstimator(configuration, now: now)
        estimator.wanted = .kilobits(5_000)
    }

    deinit { ring.deallocate() }

    func advance(by span: MediaTime) { now += span }

    /// Number of the next packet.
    var next: Int64 { ring.next }

    @discardableResult
    func send(bytes: Int = 1_000, probe: UInt16 = 0) -> UInt16 { ring.append(bytes: bytes, probe: probe, now: now) }

    /// Hands the estimator feedback whose reference time differs from the previous one by `step`.
    func acknowledge(_ arrivals: [TransportCC.Arrival], base: UInt16, statusCount: UInt16, step: Int32) {
        reference = ((reference &+ step) << 8) >> 8
        feedbackCount &+= 1
        let feedback = TransportCC(
            sender: SSRC(1), media: SSRC(2), baseSequence: SequenceNumber(base), statusCount: statusCount,
            referenceTime: reference, feedbackCount: feedbackCount, arrivals: arrivals)
        withUnsafePointer(to: &ring) { estimator.receive(feedback, sent: $0, now: now) }
    }

    /// Sends a packet, and acknowledges it 10 ms later with a reference time that differs from the previous one by `step`.
    func exchange(step: Int32, delta: Int16 = 0) {
        let sequence = send()
        advance(by: .milliseconds(10))
        acknowledge(
            [TransportCC.Arrival(sequence: SequenceNumber(sequence), delta: delta)], base: sequence, statusCount: 1,
            step: step)
    }

    func handleTimeout() {
        guard estimator.deadline <= now else { return }
        withUnsafePointer(to: &ring) { estimator.handleTimeout(sent: $0, now: now) }
    }

    /// Behaves as an honest receiver: a packet of 1,000 bytes each 10 ms over a path with a constant delay, feedback each 100 ms.
    /// - Parameter clock: peer's clock minus relay's clock.
    func behave(seconds: Int, clock: MediaTime = .zero) {
        for _ in 0..<(seconds * 10) {
            var sent: [(sequence: Int64, arrival: MediaTime)] = []
            for _ in 0..<10 {
                sent.append((next, now + .milliseconds(20) + clock))
                send()
                advance(by: .milliseconds(10))
            }
            guard
                let (feedback, _) = TransportCC.make(
                    sender: SSRC(1), media: SSRC(2), feedbackCount: feedbackCount, packets: sent)
            else { continue }
            reference = feedback.referenceTime
            feedbackCount &+= 1
            withUnsafePointer(to: &ring) { estimator.receive(feedback, sent: $0, now: now + .milliseconds(40)) }
            handleTimeout()
        }
    }
}
