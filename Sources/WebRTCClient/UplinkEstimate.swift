import Forwarding
package import MediaBase
import RTP

/// Bandwidth estimate of the path to the relay, from the relay's transport-wide feedback. The endpoint owns it, records each
/// numbered packet in it and passes it the feedback.
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

    /// Bit rate that may be sent now, headers and retransmissions included.
    package var target: Bitrate { estimator.target }
    /// Bit rate that would be sent if the path had the capacity.
    package var wanted: Bitrate {
        get { estimator.wanted }
        set { estimator.wanted = newValue }
    }
    /// Maximum rate at which packets should leave over a short time.
    package var pacingRate: Bitrate { estimator.pacingRate }
    package var roundTrip: MediaTime? { estimator.roundTrip }

    var deadline: MediaTime { estimator.deadline }

    /// Records a sent packet. Packets are numbered from 0 in the order of these calls.
    func noteSent(bytes: Int, now: MediaTime) { _ = sent.pointee.append(bytes: bytes, now: now) }

    func receive(_ feedback: TransportCC, now: MediaTime) { estimator.receive(feedback, sent: sent, now: now) }

    func handleTimeout(now: MediaTime) { estimator.handleTimeout(sent: sent, now: now) }
}
