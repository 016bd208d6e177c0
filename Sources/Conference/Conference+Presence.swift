package import MediaBase
package import Signaling

extension Conference {
    /// Starts the grace time of a client whose WebSocket is lost (CON-3). Its media may continue; others see it as
    /// dropped.
    package mutating func drop(_ id: ConnectionID, now: MediaTime) -> [Effect] {
        latest = now
        guard participants[id]?.isClient == true, participants[id]?.info.isConnected == true else { return [] }
        participants[id]?.info.isConnected = false
        participants[id]?.graceEnds = now + limits.graceTime
        lost.append(id)
        showPresence(of: id)
        return takeEffects()
    }

    /// Resumes a client within its grace time. Does nothing if the loss was not noticed.
    /// - Returns: `resumeExpired` if the client is not in the session.
    package mutating func resume(_ id: ConnectionID, now: MediaTime) -> Result<[Effect], SignalingError> {
        latest = now
        guard participants[id]?.isClient == true else { return .failure(SignalingError(.resumeExpired)) }
        // The grace time has ended, but its timer has not fired yet.
        if let end = participants[id]?.graceEnds, end <= now { return .failure(SignalingError(.resumeExpired)) }
        guard participants[id]?.info.isConnected == false else { return .success([]) }
        participants[id]?.info.isConnected = true
        participants[id]?.graceEnds = nil
        forgetFormerStreams(of: id)
        lost.removeAll { $0 == id }
        showPresence(of: id)
        return .success(takeEffects())
    }

    /// Ends expired reservations, grace times, waits for a publisher and help requests, and sends events that are due.
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
