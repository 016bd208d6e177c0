import Forwarding
import MediaBase
import RTP

/// Selection of the audio that each subsession hears.
extension EngineSession {
    /// Updates loudness and speaker state with one audio packet.
    /// - Returns: whether the packet is forwarded; false if enough louder tracks are.
    func isHeard(
        _ level: AudioLevel?, _ track: UnsafeMutablePointer<InboundTrack>, _ producer: Producer, now: MediaTime
    ) -> Bool {
        let isHeard = track.pointee.subsession._withUnsafeGuaranteedRef {
            $0.receive(level, of: track, producer.tag, now: now)
        }
        if isHeard { track.pointee.isWithheld = false }
        return isHeard
    }

    /// Begins to withhold a track. When it is heard again, each consumer's sequence numbers continue without a gap.
    /// - Parameter egress: sends the track's earlier packets that are still pending.
    func withhold(_ track: UnsafeMutablePointer<InboundTrack>, _ producer: Producer, _ egress: Egress) {
        // The origin of a mirror selects the audio, and the next packet that it copies is heard.
        track.pointee.isWithheld = !isPart
        egress.forward(self)
        for i in 0..<producer.core.pointee.consumerCount where producer.core.pointee.consumers[i].state == .live {
            producer.core.pointee.consumers[i].state = .waiting
        }
    }

    /// Withdraws a track that ended or was muted from the loudest tracks and from the active speaker.
    func fallSilent(_ index: Int, _ inbound: borrowing InboundTable) {
        emit(.visit)
        guard inbound[index].pointee.kind == .audio else { return }
        inbound[index].pointee.subsession.takeUnretainedValue().withdraw(index)
        inbound[index].pointee.isWithheld = false
    }

    /// Emits an event for each subsession whose active speaker has changed.
    func lookAfterSpeakers(_ inbound: borrowing InboundTable, now: MediaTime) {
        for subsession in subsessions {
            guard case .activeSpeakerChanged(let id) = subsession.speakers.handleTimeout(now: now) else { continue }
            let stream = id.map { inbound[$0].pointee.stream.takeUnretainedValue().name }
            emit(.event(.activeSpeaker(session: name, subsession: subsession.name, stream: stream)))
        }
    }
}
