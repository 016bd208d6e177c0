package import MediaBase
package import Signaling

extension Conference {
    /// A client's WebSocket is lost: its grace time begins (CON-3). Its media may go on; others see it as dropped.
    package mutating func drop(_ id: ConnectionID, now: MediaTime) -> [Effect] {
        latest = now
        guard participants[id]?.isClient == true, participants[id]?.info.isConnected == true else { return [] }
        participants[id]?.info.isConnected = false
        participants[id]?.graceEnds = now + limits.graceTime
        lost.append(id)
        showPresence(of: id)
        return takeEffects()
    }

    /// It is back within its grace time. Nothing happens where its loss was not noticed.
    /// - Returns: `resumeExpired` for one that is not in the session.
    package mutating func resume(_ id: ConnectionID, now: MediaTime) -> Result<[Effect], SignalingError> {
        latest = now
        guard participants[id]?.isClient == true else { return .failure(SignalingError(.resumeExpired)) }
        // One that is late by less than the timer is: its time is over all the same.
        if let end = participants[id]?.graceEnds, end <= now { return .failure(SignalingError(.resumeExpired)) }
        guard participants[id]?.info.isConnected == false else { return .success([]) }
        participants[id]?.info.isConnected = true
        participants[id]?.graceEnds = nil
        lost.removeAll { $0 == id }
        showPresence(of: id)
        return .success(takeEffects())
    }

    /// Grace times that are over, a publisher that did not come back, moves that are to be told, requests for help that nobody answered.
    package mutating func handleTimeout(now: MediaTime) -> [Effect] {
        latest = now
        if phase == .vacant, let reservation, reservation.expires <= now { return end(.sessionEnded) }
        if let publisherWait, publisherWait.ends <= now { return end(publisherWait.reason) }
        depart(Array(lost.prefix { (participants[$0]?.graceEnds ?? .never) <= now }), .networkLost)
        expireHelp(now: now)
        tellMoves(now: now)
        tellPresence(now: now)
        return takeEffects()
    }

    private mutating func showPresence(of id: ConnectionID) {
        guard let participant = participants[id] else { return }
        let isDropped = !participant.info.isConnected
        if participant.isListed { tellAll(.userDropped(UserDropped(user: id, isDropped: isDropped))) }
        for stream in participant.streams {
            guard let published = published[stream], published.phase == .announced, let info = info(of: stream) else {
                continue
            }
            tellAll(.streamChanged(StreamChanged(stream: info)))
            for subscriber in subscribers(of: published) {
                tell(
                    subscriber,
                    .subscriptionChanged(
                        SubscriptionChanged(stream: stream, state: isDropped ? .dropped : .reconnected)))
            }
        }
    }
}
