import MediaBase
import MediaEngine

extension VirtualRoom {
    /// Takes participants to a room, all at once.
    func place(_ participants: [VirtualParticipant], in room: String) {
        let placements = participants.flatMap { participant in
            [participant.publisherID, participant.subscriberID].compactMap(\.self).map {
                RoomPlacement(peer: $0, room: room)
            }
        }
        for participant in participants where participant.place != room {
            participant.enter(room, at: call.now)
        }
        call.control { $0.place(placements, session: session) }
    }

    /// Whether what was captured then was captured where the participant is now, or where it was at that time. It reaches the relay 10 ms later, and
    /// by then its publisher may be elsewhere.
    func wereTogether(
        _ participant: VirtualParticipant, _ stream: String, _ captured: MediaTime, _ now: MediaTime
    ) -> Bool {
        guard let owner = owners[stream] else { return true }
        let filmed = owner.rooms(from: captured, to: captured + .milliseconds(12))
        let seen = participant.rooms(from: now - flight, to: now)
        return !filmed.isDisjoint(with: seen)
            || !filmed.isDisjoint(with: participant.rooms(from: captured, to: captured + .milliseconds(12)))
    }

    /// Whether a participant may get a stream now: both are in one room, or were until a moment ago.
    func areTogether(_ participant: VirtualParticipant, _ stream: String, _ now: MediaTime) -> Bool {
        guard let owner = owners[stream] else { return true }
        return owner.place == participant.place || now - max(owner.placedAt, participant.placedAt) <= flight
    }
}
