import Forwarding
package import MediaBase
import RTP

/// What the path to the relay carries, as the relay's transport-wide feedback shows it. Its owner is the endpoint, which notes each
/// numbered packet and hands it the feedback.
package final class UplinkEstimate {
    private let estimator: BandwidthEstimator
    private let sent: UnsafeMutablePointer<SentPacketRing>

    init(start: Bitrate, now: MediaTime) {
        var configuration = BandwidthEstimator.Configuration()
        configuration.start = start
        estimator = BandwidthEstimator(configuration, now: now)
        sent = .allocate(capacity: 1)
        sent.initialize(to: SentPacketRing())
    }

    deinit {
        sent.pointee.deallocate()
        sent.deinitialize(count: 1)
        sent.deallocate()
    }

    /// What may be sent now, headers and retransmissions included.
    package var target: Bitrate { estimator.target }
    /// What would be sent if the path carried it.
    package var wanted: Bitrate {
        get { estimator.wanted }
        set { estimator.wanted = newValue }
    }
    /// The fastest that packets should leave in a short while.
    package var pacingRate: Bitrate { estimator.pacingRate }
    package var roundTrip: MediaTime? { estimator.roundTrip }

    var deadline: MediaTime { estimator.deadline }

    /// Packets are numbered from 0 on, in the order of these calls.
    func noteSent(bytes: Int, now: MediaTime) { _ = sent.pointee.append(bytes: bytes, now: now) }

    func receive(_ feedback: TransportCC, now: MediaTime) { estimator.receive(feedback, sent: sent, now: now) }

    func handleTimeout(now: MediaTime) { estimator.handleTimeout(sent: sent, now: now) }
}
