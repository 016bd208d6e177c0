import Conference
import MediaEngine
import SessionMedia
import Signaling

/// Statistics and quality of participants' media, from the engines of the relays that have it.
extension SessionCore {
    /// Returns statistics of a client, or of a publisher without a control connection. They are empty for plain SRTP, which the engine
    /// counts by track.
    func statistics(of user: ConnectionID, then: @escaping (Result<StatisticsAnswer, SignalingError>) -> Void) {
        if let client = clients[user] { return measure(client) { then(.success($0)) } }
        guard conference.user(user) != nil else {
            return then(.failure(SignalingError(.unknownUser, field: "user")))
        }
        guard let peer = media.publisher(of: user), !media.isPlain(peer) else {
            return then(.success(StatisticsAnswer()))
        }
        statistics(of: peer) { measured in
            var answer = StatisticsAnswer()
            answer.add(published: measured)
            then(.success(answer))
        }
    }

    func measure(_ client: LiveConnection, then: @escaping (StatisticsAnswer) -> Void) {
        statistics(of: media.publisher(of: client.id)) { [self] published in
            statistics(of: media.subscriber(of: client.id)) { subscribed in
                var answer = StatisticsAnswer()
                answer.add(published: published)
                answer.add(subscribed: subscribed)
                then(answer)
            }
        }
    }

    private func statistics(of peer: PeerID?, then: @escaping (PeerStatistics?) -> Void) {
        guard let peer else { return then(nil) }
        ask(of: peer, .statistics(peer)) { answer in
            guard case .success(.statistics(let measured)) = answer else { return then(nil) }
            then(measured)
        }
    }

    /// Returns the quality of a participant's media over the last minutes. It is empty for plain SRTP, whose clients are not asked for
    /// reports.
    func quality(of user: ConnectionID, then: @escaping (Result<QualityAnswer, SignalingError>) -> Void) {
        guard clients[user] != nil || conference.user(user) != nil else {
            return then(.failure(SignalingError(.unknownUser, field: "user")))
        }
        let publisher = media.publisher(of: user).flatMap { media.isPlain($0) ? nil : $0 }
        quality(of: publisher) { [self] published in
            quality(of: media.subscriber(of: user)) { subscribed in
                var answer = QualityAnswer()
                answer.published = published
                answer.subscribed = subscribed
                then(.success(answer))
            }
        }
    }

    /// Returns the points of a peer; none if it has just ended.
    private func quality(of peer: PeerID?, then: @escaping ([QualityAnswer.Point]) -> Void) {
        guard let peer else { return then([]) }
        ask(of: peer, .quality(peer)) { [self] answer in
            guard case .success(.quality(let quality)) = answer else { return then([]) }
            then(QualityAnswer.points(of: quality, wall: time.wall))
        }
    }
}

extension StatisticsAnswer {
    fileprivate mutating func add(published measured: PeerStatistics?) {
        guard let measured else { return }
        published = measured.published.map(Track.init)
        roundTrip = measured.roundTrip?.milliseconds
    }

    fileprivate mutating func add(subscribed measured: PeerStatistics?) {
        guard let measured else { return }
        subscribed = measured.subscribed.map(Track.init)
        availableBitrate = measured.availableBitrate.map { Int($0.rawValue) }
        roundTrip = measured.roundTrip?.milliseconds ?? roundTrip
        unsent = measured.unsent.isEmpty ? nil : measured.unsent
    }
}
