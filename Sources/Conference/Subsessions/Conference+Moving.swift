package import MediaBase
package import Signaling

/// Moves between subsessions, and media between participants in the same location (SUB-3, SUB-4).
extension Conference {
    package func location(of id: ConnectionID) -> Location { subsessions.location(of: id) }

    /// Returns the location that a request would move its sender to; nil if it would not move. The media plane can thus
    /// stop media between the participants before clients are notified.
    package func destination(of request: any RequestBody, from sender: ConnectionID, now: MediaTime) -> Location? {
        guard var participant = participants[sender], participant.isClient else { return nil }
        let location: Location
        switch request {
        case let body as JoinSubsessionRequest:
            guard subsessions.phase == .started, subsessions.info(body.subsession) != nil else { return nil }
            location = .subsession(body.subsession)
        case is ReturnToMainSessionRequest: location = .mainSession
        case let body as AnswerHelpRequest:
            guard body.isAccepted, participant.isSubsessionManager,
                let request = helpRequests.first(where: { $0.id == body.request && $0.asked.contains(sender) })
            else { return nil }
            location = .subsession(request.subsession)
        default: return nil
        }
        guard location != subsessions.location(of: sender) else { return nil }
        do throws(SignalingError) {
            try participant.rates.admit(.move, limits, now: now)
            return location
        } catch {
            return nil
        }
    }

    mutating func joinSubsession(_ subsession: SubsessionID, _ sender: RequestSender) throws(SignalingError) {
        guard participants[sender.id]?.isClient == true else { throw SignalingError(.notPermitted) }
        guard subsessions.phase == .started else {
            throw SignalingError(.subsessionsState, "the subsessions have not started")
        }
        guard subsessions.info(subsession) != nil else { throw SignalingError(.unknownSubsession, field: "subsession") }
        try move(sender, to: .subsession(subsession))
    }

    mutating func returnToMainSession(_ sender: RequestSender) throws(SignalingError) {
        guard subsessions.location(of: sender.id) != .mainSession else { throw SignalingError(.notInSubsession) }
        try move(sender, to: .mainSession)
    }

    private mutating func move(_ sender: RequestSender, to location: Location) throws(SignalingError) {
        guard location != subsessions.location(of: sender.id) else { return }
        try admit(.move, sender)
        relocate(sender.id, to: location, now: sender.now)
    }

    /// Moves a participant to another location. Only the end of all subsessions bypasses it. The media plane separates
    /// participants before clients are notified.
    mutating func relocate(_ id: ConnectionID, to location: Location, now: MediaTime) {
        let from = subsessions.location(of: id)
        guard location != from else { return }
        subsessions.move(id, to: location, due: now + limits.moveSharing)
        noteSeat(of: id)
        command(.relocate([id], location))
        let heard = activeSpeakers[from]
        refreshHearing(of: id)
        // An active speaker does not remain the speaker of the location that it leaves.
        if let heard, published[heard]?.owner == id { setActiveSpeaker(nil, in: from) }
        tellSpeaker(activeSpeakers[location], to: id, before: heard)
        withdrawHelp(of: id)
        noteManager(id, at: location)
    }

    /// Sends the events about moves that are due (SUB-4).
    mutating func tellMoves(now: MediaTime) {
        var moves = subsessions.takeMoves(now: now)[...]
        while !moves.isEmpty {
            tellAll(.subsessionUsersChanged(SubsessionUsersChanged(changes: Array(moves.prefix(Self.movesAnEvent)))))
            moves = moves.dropFirst(Self.movesAnEvent)
        }
    }

    /// Moves in one event. Bounds its size, because the outboxes of lost clients keep it.
    private static let movesAnEvent = 500

    /// Returns the clients in a location.
    func audience(of location: Location) -> [ConnectionID] {
        switch location {
        case .mainSession:
            subsessions.areEmpty ? clients : clients.filter { subsessions.location(of: $0) == .mainSession }
        case .subsession(let id): subsessions.info(id)?.users ?? []
        }
    }

    // MARK: media between locations

    /// Returns whether the subscriber and the stream's publisher are in the same location.
    func hears(_ connection: ConnectionID, _ stream: PublishedStream) -> Bool {
        participants[connection] != nil && participants[stream.owner] != nil
            && subsessions.location(of: connection) == subsessions.location(of: stream.owner)
    }

    /// Updates a participant's subscriptions and the subscriptions to its streams.
    private mutating func refreshHearing(of id: ConnectionID) {
        guard let participant = participants[id] else { return }
        for stream in participant.subscriptions.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            refreshHearing(id, stream)
        }
        for stream in participant.streams { refreshHearing(ofSubscribersTo: stream) }
    }

    mutating func refreshHearing(ofSubscribersTo id: StreamID) {
        guard let subscribers = published[id]?.subscribers, !subscribers.isEmpty else { return }
        for subscriber in subscribers.sorted(by: { $0.rawValue < $1.rawValue }) { refreshHearing(subscriber, id) }
    }

    /// Notifies the subscriber when the publisher enters or leaves its location. The media plane gets the subscription the
    /// first time that both are in the same location.
    private mutating func refreshHearing(_ connection: ConnectionID, _ id: StreamID) {
        guard let stream = published[id], var subscription = participants[connection]?.subscriptions[id] else { return }
        let isHeard = hears(connection, stream)
        guard subscription.isHeard != isHeard else { return }
        let isFirst = isHeard && !subscription.isOrdered
        subscription.isHeard = isHeard
        subscription.isOrdered = subscription.isOrdered || isHeard
        participants[connection]?.subscriptions[id] = subscription
        if isFirst { command(.subscribe(connection, id, subscription.preferences)) }
        tell(
            connection,
            .subscriptionChanged(SubscriptionChanged(stream: id, state: isHeard ? .resumed : .suspended)))
    }

    // MARK: speakers

    /// Notifies the clients in a location of its active speaker.
    mutating func setActiveSpeaker(_ id: StreamID?, in location: Location) {
        let speaker = id.flatMap { id in
            published[id].flatMap { stream in
                stream.phase == .announced && subsessions.location(of: stream.owner) == location ? id : nil
            }
        }
        guard speaker != activeSpeakers[location] else { return }
        activeSpeakers[location] = speaker
        tell(audience(of: location), .activeSpeaker(ActiveSpeaker(stream: speaker)))
    }

    /// Clears the active speaker of a location if its stream has ended.
    mutating func silenceSpeaker(_ id: StreamID) {
        guard let location = activeSpeakers.first(where: { $0.value == id })?.key else { return }
        setActiveSpeaker(nil, in: location)
    }

    mutating func tellSpeaker(_ speaker: StreamID?, to id: ConnectionID, before: StreamID?) {
        guard speaker != before else { return }
        tell(id, .activeSpeaker(ActiveSpeaker(stream: speaker)))
    }
}
