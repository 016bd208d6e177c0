import MediaBase
import MediaEngine

extension VirtualSession {
    /// Moves participants to a subsession, all at once.
    func move(_ participants: [VirtualParticipant], to subsession: String) {
        let moves = participants.flatMap { participant in
            [participant.publisherID, participant.subscriberID].compactMap(\.self).map {
                PeerMove(peer: $0, subsession: subsession)
            }
        }
        for participant in participants where participant.subsession != subsession {
            participant.enter(subsession, at: call.now)
        }
        try! call.control { try $0.move(moves, session: session) }
    }

    /// Returns whether the media was captured in a subsession that the participant is in now, or was in at that time. Media reaches the
    /// relay 10 ms after its capture; by then its publisher may have moved.
    func wereTogether(
        _ participant: VirtualParticipant, _ stream: String, _ captured: MediaTime, _ now: MediaTime
    ) -> Bool {
        guard let owner = owners[stream] else { return true }
        let filmed = owner.rooms(from: captured, to: captured + .milliseconds(12))
        let seen = participant.rooms(from: now - flight, to: now)
        return !filmed.isDisjoint(with: seen)
            || !filmed.isDisjoint(with: participant.rooms(from: captured, to: captured + .milliseconds(12)))
    }

    /// Returns whether a participant may receive a stream now: both are in one subsession, or were until a moment ago.
    func areTogether(_ participant: VirtualParticipant, _ stream: String, _ now: MediaTime) -> Bool {
        guard let owner = owners[stream] else { return true }
        return owner.subsession == participant.subsession || now - max(owner.movedAt, participant.movedAt) <= flight
    }
}
