import Forwarding
import MediaBase
import RTP

/// Who is heard in each room of a session, and who has the floor there.
extension Worker {
    /// Takes note of one packet's loudness.
    /// - Returns: whether it goes out to subscribers: where more talk than are forwarded, the softer ones do not.
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
            // What was heard up to now may still be pending; later each viewer's numbers go on without a gap.
            forward(session)
            for i in 0..<producer.core.pointee.consumerCount where producer.core.pointee.consumers[i].state == .live {
                producer.core.pointee.consumers[i].state = .waiting
            }
        }
        return false
    }

    /// A track that is gone or muted gives up its place and the floor.
    func fallSilent(_ index: Int) {
        guard inbound[index].kind == .audio else { return }
        let room = inbound[index].room.takeUnretainedValue()
        room.loudest.remove(id: index)
        room.speakers.remove(id: index)
        inbound[index].isWithheld = false
    }

    /// Says who has the floor in a room where that has changed.
    func lookAfterSpeakers(_ session: EngineSession, _ now: MediaTime) {
        for room in session.rooms {
            guard case .activeSpeakerChanged(let id) = room.speakers.handleTimeout(now: now) else { continue }
            let name = id.map { inbound[$0].stream.takeUnretainedValue().name }
            events.send(.activeSpeaker(session: session.name, room: room.name, stream: name))
        }
    }
}
