package import MediaBase
package import Signaling

extension Conference {
    /// Ends a connection, because its client broke the rules or is too slow, its token expired, or its endpoint closed
    /// it.
    package mutating func disconnect(
        _ id: ConnectionID, reason: DisconnectReason, now: MediaTime
    ) -> [Effect] {
        latest = now
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

    /// Removes a user with every other connection of its token, and refuses the token from now on (USR-6, USR-12). A participant that
    /// joins by WebSocket and publishes by WHIP with one token would otherwise continue to publish.
    mutating func remove(_ id: ConnectionID) {
        let leaving = connections(sharingTokenOf: id)
        if let token = participants[id]?.token {
            revoked.insert(token)
            endVisitingSubscribers { $0.token == token }
        }
        depart(leaving, .removed)
    }

    /// Returns the connections of one token in order of joining: clients, including lost ones, and publishers without
    /// signalling. A connection without a token is returned alone.
    func connections(sharingTokenOf id: ConnectionID) -> [ConnectionID] {
        guard let token = participants[id]?.token else { return [id] }
        return order.filter { participants[$0]?.token == token }
    }

    /// Removes a participant with its streams, subscriptions and role. Each change is announced to the others once
    /// (STR-6).
    mutating func depart(_ id: ConnectionID, _ reason: DisconnectReason) { depart([id], reason) }

    /// Removes several participants. They are not notified of each other, and none of them becomes the host.
    mutating func depart(_ ids: [ConnectionID], _ reason: DisconnectReason) {
        let leaving = ids.compactMap { participants[$0] }
        guard !leaving.isEmpty else { return }
        for participant in leaving { dismiss(participant.info.id, reason) }
        let leavesHost = leaving.contains { $0.info.role == .host }
        for participant in leaving {
            for stream in participant.subscriptions.keys { published[stream]?.subscribers.remove(participant.info.id) }
            // From here on the participant gets no events.
            participants[participant.info.id] = nil
            noteSeat(of: participant.info.id)
        }
        if leavesHost { host = nil }
        let elsewhere = Set(leaving.map(\.info.id).filter { subsessions.location(of: $0) != .mainSession })
        forget(leaving)
        for participant in leaving { leaveSubsessions(participant.info.id) }
        for participant in leaving {
            for stream in participant.streams { destroy(stream, reason.streamEnd) }
            // Clients also know unlisted participants who are in a subsession, from the list of its participants.
            noteLeave(
                of: participant.info.id, reason,
                isKnown: participant.isListed || elsewhere.contains(participant.info.id))
            hook(.participantLeft(participant.info, reason))
        }
        if order.isEmpty {
            if let reservation { wait(with: reservation) } else if publisherWait == nil { conclude(reason) }
        } else if leavesHost {
            tellPresence()
            passHost()
        }
    }

    /// Returns to the state before the first join, because only publishers without signalling have joined, and none of them has published:
    /// the media plane has refused their transports.
    private mutating func wait(with reservation: Reservation) {
        phase = .vacant
        // A refused publisher does not choose the password.
        password = try? SessionPassword.checked(reservation.password)
        isPasswordSettled = password != nil
    }

    private mutating func leaveSubsessions(_ id: ConnectionID) {
        withdrawHelp(of: id)
        forgetManager(id)
        subsessions.remove(id)
    }

    private mutating func forget(_ leaving: [Participant]) {
        if leaving.count > 1 {
            let gone = Set(leaving.map(\.info.id))
            order.removeAll { gone.contains($0) }
            clients.removeAll { gone.contains($0) }
            listed.removeAll { gone.contains($0) }
            lost.removeAll { gone.contains($0) }
        } else if let participant = leaving.first {
            remove(participant, from: \.order)
            if participant.isClient { remove(participant, from: \.clients) }
            if participant.isListed { remove(participant, from: \.listed) }
            if let index = lost.firstIndex(of: participant.info.id) { lost.remove(at: index) }
        }
    }

    /// Ends the session for all participants at once, without events about each other.
    mutating func finish(_ reason: DisconnectReason) {
        guard phase != .ended else { return }
        endPushes()
        for id in order { dismiss(id, reason) }
        for id in streamOrder {
            if let info = info(of: id) { hook(.streamUnpublished(info, reason.streamEnd)) }
        }
        for id in order {
            if let info = participants[id]?.info { hook(.participantLeft(info, reason)) }
        }
        conclude(reason)
    }

    /// Sends the last event of a connection and closes it.
    private mutating func dismiss(_ id: ConnectionID, _ reason: DisconnectReason) {
        tell(id, .disconnected(Disconnected(reason: reason)))
        effects.append(.close(id, reason))
        command(.closeMedia(id))
    }

    private mutating func conclude(_ reason: DisconnectReason) {
        // Those of streams have ended with their streams; the programme goes on until here.
        endPushes()
        for stream in published.keys.sorted(by: { $0.rawValue < $1.rawValue }) { command(.unpublish(stream)) }
        endVisitingSubscribers()
        phase = .ended
        reservation = nil
        publisherWait = nil
        participants = [:]
        changedSeats = []
        order = []
        clients = []
        listed = []
        presence = PresenceChanges()
        lost = []
        published = [:]
        streamOrder = []
        recordedCount = 0
        host = nil
        activeSpeakers = [:]
        subsessions = Subsessions()
        helpRequests = []
        if hasStarted { hook(.sessionEnded(reason)) }
        effects.append(.ended(reason))
    }
}

extension DisconnectReason {
    /// Reason that subscribers get for the end of the connection's streams.
    var streamEnd: StreamEndReason {
        switch self {
        case .left, .sessionEnded: .clientLeft
        case .removed, .slowConsumer, .protocolViolation, .tokenExpired: .forced
        case .networkLost: .networkLost
        case .relayShutdown: .reset
        }
    }
}
