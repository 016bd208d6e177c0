import Conference
import Foundation
import MediaBase
import MediaEngine
import SessionMedia
import Signaling

extension LiveSession {
    func statistics(of client: LiveConnection) async -> Result<StatisticsAnswer, SignalingError> {
        .success(await measure(client))
    }

    /// Returns statistics of a client, or of a publisher without a control connection. They are empty for plain SRTP, which the engine
    /// counts by track.
    func statistics(of user: ConnectionID) async throws(SignalingError) -> StatisticsAnswer {
        if let client = clients[user] { return await measure(client) }
        guard conference.user(user) != nil else { throw SignalingError(.unknownUser, field: "user") }
        var answer = StatisticsAnswer()
        guard let peer = media.publisher(of: user), !media.isPlain(peer) else { return answer }
        let measured = await statistics(of: peer)
        answer.published = measured?.published.map(StatisticsAnswer.Track.init) ?? []
        answer.roundTrip = measured?.roundTrip?.milliseconds
        return answer
    }

    func measure(_ client: LiveConnection) async -> StatisticsAnswer {
        var answer = StatisticsAnswer()
        if let peer = media.publisher(of: client.id), let measured = await statistics(of: peer) {
            answer.published = measured.published.map(StatisticsAnswer.Track.init)
            answer.roundTrip = measured.roundTrip?.milliseconds
        }
        if let peer = media.subscriber(of: client.id), let measured = await statistics(of: peer) {
            answer.subscribed = measured.subscribed.map(StatisticsAnswer.Track.init)
            answer.availableBitrate = measured.availableBitrate.map { Int($0.rawValue) }
            answer.roundTrip = measured.roundTrip?.milliseconds ?? answer.roundTrip
            answer.unsent = measured.unsent.isEmpty ? nil : measured.unsent
        }
        return answer
    }

    private func statistics(of peer: PeerID) async -> PeerStatistics? {
        guard case .statistics(let measured) = try? await ask(of: peer, .statistics(peer)) else { return nil }
        return measured
    }
}
