import Forwarding
import MediaBase
import RTP

/// Probes of the path to the relay.
extension WebRTCEndpoint {
    /// Number of the latest packets that probes repeat.
    private static let repeated = 64
    /// Minimum time between packets of a probe. Due times are rounded, so that a caller could otherwise be asked to wait for no time.
    private static let spacing = MediaTime.microseconds(500)

    /// Begins the probe that the estimate asks for, if a track can carry it.
    func beginProbe(now: MediaTime) {
        guard configuration.probesUplink, probe == nil, let uplink, uplink.wanted.rawValue > 0, canProbe,
            let due = uplink.takeProbe(now: now)
        else { return }
        probe = ProbePacer(due, now: now)
        sendProbe(now: now)
    }

    /// Sends the packets of the probe that are due.
    func sendProbe(now: MediaTime) {
        guard var pacer = probe, let track = probeTrack else {
            probe = nil
            return
        }
        probeNumber = pacer.probe.id
        var distance = 0
        while pacer.due(now: now) > 0 {
            let bytes = repeatPacket(distance, track: track, now: now)
            distance = (distance + 1) % Self.repeated
            pacer.note(bytes: bytes)
            statistics.probeBytes &+= UInt64(bytes)
        }
        probeNumber = 0
        probe = pacer.isDone ? nil : pacer
        nextProbe = max(pacer.deadline ?? .never, now + Self.spacing)
    }

    /// Whether the relay has a retransmission stream that has sent packets to repeat.
    package var canProbe: Bool { probeTrack != nil }

    /// Track with a retransmission stream that has sent packets; nil if there is none.
    private var probeTrack: Int? {
        outgoing.indices.first { outgoing[$0].first.map { $0.rtxSSRC != nil && $0.packets > 0 } ?? false }
    }

    /// Sends a recent packet on the retransmission stream, although the relay has not asked for it.
    /// - Returns: bytes of the payload; 0 if the packet is not stored.
    private func repeatPacket(_ distance: Int, track: Int, now: MediaTime) -> Int {
        guard let sent = outgoing[track][0].recent(distance), sendRTX(sent, track, 0, now) else { return 0 }
        return sent.payload.count
    }
}
