package import Signaling

extension Conference {
    /// Ends a connection for good: its client broke the rules or cannot keep up, its token is over, its door closed it.
    package mutating func disconnect(_ id: ConnectionID, reason: DisconnectReason) -> [Effect] {
        depart(id, reason)
        return takeEffects()
    }

    /// Ends the session (SES-5).
    package mutating func end(_ reason: DisconnectReason) -> [Effect] {
        finish(reason)
        return takeEffects()
    }

    mutating func leave(_ id: ConnectionID, endForAll: Bool) {
        if endForAll { finish(.sessionEnded) } else { depart(id, .left) }
    }

    /// USR-6: not to come back with the same token.
    mutating func remove(_ id: ConnectionID) {
        if let token = participants[id]?.token { revoked.insert(token) }
        depart(id, .removed)
    }

    /// Everything of a user goes: streams, subscriptions, role. All others are told, each thing once (STR-6).
    mutating func depart(_ id: ConnectionID, _ reason: DisconnectReason) {
        guard let participant = participants[id] else { return }
        dismiss(id, reason)
        for stream in participant.subscriptions.keys { published[stream]?.subscribers.remove(id) }
        // From here on it is told nothing more.
        participants[id] = nil
        if host == id { host = nil }
        order.removeAll { $0 == id }
        clients.removeAll { $0 == id }
        lost.removeAll { $0 == id }
        for stream in participant.streams { destroy(stream, reason.streamEnd) }
        tellAll(.userLeft(UserLeft(user: id, reason: reason)))
        hook(.participantLeft(participant.info, reason))
        if order.isEmpty {
            conclude(reason)
        } else if participant.info.role == .host {
            passHost()
        }
    }

    /// Everybody goes at once; nobody is left to be told of the others.
    mutating func finish(_ reason: DisconnectReason) {
        guard phase != .ended else { return }
        for id in order { dismiss(id, reason) }
        for id in streamOrder {
            if let info = info(of: id) { hook(.streamUnpublished(info, reason.streamEnd)) }
        }
        for id in order {
            if let info = participants[id]?.info { hook(.participantLeft(info, reason)) }
        }
        conclude(reason)
    }

    /// The last that a connection gets.
    private mutating func dismiss(_ id: ConnectionID, _ reason: DisconnectReason) {
        tell(id, .disconnected(Disconnected(reason: reason)))
        effects.append(.close(id, reason))
        command(.closeMedia(id))
    }

    private mutating func conclude(_ reason: DisconnectReason) {
        for stream in published.keys.sorted(by: { $0.rawValue < $1.rawValue }) { command(.unpublish(stream)) }
        let wasLive = phase == .live
        phase = .ended
        reservation = nil
        participants = [:]
        order = []
        clients = []
        lost = []
        published = [:]
        streamOrder = []
        host = nil
        activeSpeaker = nil
        if wasLive { hook(.sessionEnded(reason)) }
        effects.append(.ended(reason))
    }
}

extension DisconnectReason {
    /// What it means for the streams of a connection that is over so.
    var streamEnd: StreamEndReason {
        switch self {
        case .left, .sessionEnded: .clientLeft
        case .removed, .slowConsumer, .protocolViolation, .tokenExpired: .forced
        case .networkLost: .networkLost
        case .relayShutdown: .reset
        }
    }
}
