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
    /// Bit rate that the path carries in the long run. Higher than `target` while a queue drains.
    package var capacity: Bitrate { estimator.capacity }
    /// Whether the path is certainly full: its queue is long or overflows.
    package var isFull: Bool { estimator.isFull }
    /// Whether the relay has acknowledged individual packets. Without that nothing is known about the path.
    package var isAcknowledged: Bool { estimator.isAcknowledged }
    /// Bit rate that is sent without probes, as far as it follows the estimate.
    package var used: Bitrate {
        get { estimator.used }
        set { estimator.used = newValue }
    }
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
    /// - Parameter probe: number of the probe that the packet belongs to; 0: none.
    func noteSent(bytes: Int, probe: UInt16, now: MediaTime) {
        _ = sent.pointee.append(bytes: bytes, probe: probe, now: now)
    }

    /// Returns a probe to send now; nil if none is due.
    func takeProbe(now: MediaTime) -> Probe? {
        estimator.mayProbe(now: now) ? estimator.takeProbe(now: now) : nil
    }

    func receive(_ feedback: TransportCC, now: MediaTime) { estimator.receive(feedback, sent: sent, now: now) }

    func handleTimeout(now: MediaTime) { estimator.handleTimeout(sent: sent, now: now) }
}
