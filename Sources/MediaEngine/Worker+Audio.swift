import Forwarding
import MediaBase
import RTP

/// Selection of the audio that each subsession hears, and of its active speaker.
extension Worker {
    /// Updates loudness and speaker state with one audio packet.
    /// - Returns: whether the packet is forwarded; false if enough louder tracks are.
    func isHeard(
        _ level: AudioLevel?, _ track: UnsafeMutablePointer<InboundTrack>, _ producer: Producer,
        _ session: EngineSession, _ now: MediaTime
    ) -> Bool {
        track.pointee.levels.receive(level, now: now)
        let decision = track.pointee.room._withUnsafeGuaranteedRef { room in
            room.speakers.receive(id: producer.tag, activity: track.pointee.levels.activity, now: now)
            return room.loudest.receive(
                id: producer.tag, level: track.pointee.levels.level, voice: track.pointee.levels.isVoice, now: now)
        }
        guard decision == .withhold else {
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

    /// Withdraws a track that ended or was muted from the loudest tracks and from the active speaker.
    func fallSilent(_ index: Int) {
        housekeepingSchedule.visitSoon(inbound[index].pointee.session.takeUnretainedValue(), now: time())
        guard inbound[index].pointee.kind == .audio else { return }
        let room = inbound[index].pointee.room.takeUnretainedValue()
        room.loudest.remove(id: index)
        room.speakers.remove(id: index)
        inbound[index].pointee.isWithheld = false
    }

    /// Sends an event for each subsession whose active speaker has changed.
    func lookAfterSpeakers(_ session: EngineSession, _ now: MediaTime) {
        for room in session.rooms {
            guard case .activeSpeakerChanged(let id) = room.speakers.handleTimeout(now: now) else { continue }
            let name = id.map { inbound[$0].pointee.stream.takeUnretainedValue().name }
            events.send(.activeSpeaker(session: session.name, room: room.name, stream: name))
        }
    }
}
