import Forwarding
import MediaBase
import RTP

/// Selection of the audio that each subsession hears.
extension Worker {
    /// Updates loudness and speaker state with one audio packet.
    /// - Returns: whether the packet is forwarded; false if enough louder tracks are.
    func isHeard(
        _ level: AudioLevel?, _ track: UnsafeMutablePointer<InboundTrack>, _ producer: Producer,
        _ session: EngineSession, _ now: MediaTime
    ) -> Bool {
        let isHeard = track.pointee.room._withUnsafeGuaranteedRef {
            $0.receive(level, of: track, producer.tag, now: now)
        }
        guard !isHeard else {
            track.pointee.isWithheld = false
            return true
        }
        counters.packetsWithheld &+= 1
        if !track.pointee.isWithheld {
            track.pointee.isWithheld = true
            // Earlier packets may still be pending. When the track is heard again, each consumer's
            // sequence numbers continue without a gap.
            forward(session)
            for i in 0..<producer.core.pointee.consumerCount where producer.core.pointee.consumers[i].state == .live {
                producer.core.pointee.consumers[i].state = .waiting
            }
        }
        return false
    }
}
