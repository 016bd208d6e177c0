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
            participant.place = room
            participant.placedAt = call.now
        }
        call.control { $0.place(placements, session: session) }
    }

    /// Whether a participant may get a stream now: both are in one room, or were until a moment ago.
    func areTogether(_ participant: VirtualParticipant, _ stream: String, _ now: MediaTime) -> Bool {
        guard let owner = owners[stream] else { return true }
        return owner.place == participant.place || now - max(owner.placedAt, participant.placedAt) <= flight
    }
}
