import Conference
import MediaEngine
import SessionMedia
import Signaling

extension LiveSession {
    /// Returns the quality of a participant's media over the last minutes. It is empty for plain SRTP, whose clients are not asked for
    /// reports.
    func quality(of user: ConnectionID) async throws(SignalingError) -> QualityAnswer {
        var answer = QualityAnswer()
        guard clients[user] != nil || conference.user(user) != nil else {
            throw SignalingError(.unknownUser, field: "user")
        }
        if let peer = media.publisher(of: user), !media.isPlain(peer) { answer.published = await quality(of: peer) }
        if let peer = media.subscriber(of: user) { answer.subscribed = await quality(of: peer) }
        return answer
    }

    /// Returns the points of a peer; none if it has just ended.
    private func quality(of peer: PeerID) async -> [QualityAnswer.Point] {
        guard case .quality(let quality) = try? await ask(of: peer, .quality(peer)) else { return [] }
        return QualityAnswer.points(of: quality, wall: ControlClock.wall)
    }
}
