import Conference
import MediaEngine
import SessionMedia
import Signaling

extension LiveSession {
    /// Returns the quality of a participant's media over the last minutes. It is empty for plain SRTP, whose clients are not asked for
    /// reports.
    func quality(of user: ConnectionID) async throws(SignalingError) -> QualityAnswer {
        var answer = QualityAnswer()
        if clients[user] != nil {
            if let peer = media.publisher(of: user) { answer.published = await quality(of: TransportID(peer)) }
            if let peer = media.subscriber(of: user) { answer.subscribed = await quality(of: TransportID(peer)) }
            return answer
        }
        guard conference.user(user) != nil else { throw SignalingError(.unknownUser, field: "user") }
        if let publisher = publishers.values.first(where: { $0.connection == user }), !publisher.isPlain {
            answer.published = await quality(of: publisher.transport)
        }
        return answer
    }

    /// Returns the points of a peer; none if it has just ended.
    private func quality(of peer: TransportID) async -> [QualityAnswer.Point] {
        guard let quality = try? await environment.engine.peerQuality(peer, session: engineName) else { return [] }
        return QualityAnswer.points(of: quality, wall: ControlClock.wall)
    }
}
