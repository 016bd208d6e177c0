package import MediaBase
package import Signaling

/// Moves between subsessions, and media between participants in the same place (SUB-3, SUB-4).
extension Conference {
    package func place(of id: ConnectionID) -> Place { subsessions.place(of: id) }

    /// Returns the place that a request would move its sender to; nil if it would not move. The media plane can thus
    /// stop media between the participants before clients are notified.
    package func destination(of request: any RequestBody, from sender: ConnectionID, now: MediaTime) -> Place? {
        guard var participant = participants[sender], participant.isClient else { return nil }
        let place: Place
        switch request {
        case let body as JoinSubsessionRequest:
            guard subsessions.phase == .started, subsessions.info(body.subsession) != nil else { return nil }
            place = .subsession(body.subsession)
        case is ReturnToMainSessionRequest: place = .mainSession
        case let body as AnswerHelpRequest:
            guard body.isAccepted, participant.isSubsessionManager,
                let request = helpRequests.first(where: { $0.id == body.request && $0.asked.contains(sender) })
            else { return nil }
            place = .subsession(request.subsession)
        default: return nil
        }
        guard place != subsessions.place(of: sender) else { return nil }
        do throws(SignalingError) {
            try participant.rates.admit(.move, limits, now: now)
            return place
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
        guard subsessions.place(of: sender.id) != .mainSession else { throw SignalingError(.notInSubsession) }
        try move(sender, to: .mainSession)
    }

    private mutating func move(_ sender: RequestSender, to place: Place) throws(SignalingError) {
        guard place != subsessions.place(of: sender.id) else { return }
        try admit(.move, sender)
        relocate(sender.id, to: place, now: sender.now)
    }

    /// Moves a participant to another place. Only the end of all subsessions bypasses it. The media plane separates
    /// participants before clients are notified.
    mutating func relocate(_ id: ConnectionID, to place: Place, now: MediaTime) {
        let from = subsessions.place(of: id)
        guard place != from else { return }
        subsessions.move(id, to: place, due: now + limits.moveSharing)
        command(.place([id], place))
        let heard = activeSpeakers[from]
        refreshHearing(of: id)
        // An active speaker does not remain the speaker of the place that it leaves.
        if let heard, published[heard]?.owner == id { setActiveSpeaker(nil, in: from) }
        tellSpeaker(activeSpeakers[place], to: id, before: heard)
        withdrawHelp(of: id)
        noteManager(id, at: place)
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

    /// Returns the clients in a place.
    func audience(of place: Place) -> [ConnectionID] {
        switch place {
        case .mainSession:
            subsessions.areEmpty ? clients : clients.filter { subsessions.place(of: $0) == .mainSession }
        case .subsession(let id): subsessions.info(id)?.users ?? []
        }
    }

    // MARK: media between places

    /// Returns whether the subscriber and the stream's publisher are in the same place.
    func hears(_ connection: ConnectionID, _ stream: PublishedStream) -> Bool {
        participants[connection] != nil && participants[stream.owner] != nil
            && subsessions.place(of: connection) == subsessions.place(of: stream.owner)
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

    /// Notifies the subscriber when the publisher enters or leaves its place. The media plane gets the subscription the
    /// first time that both are in the same place.
    private mutating func refreshHearing(_ connection: ConnectionID, _ id: StreamID) {
        guard let stream = published[id], var wish = participants[connection]?.subscriptions[id] else { return }
        let isHeard = hears(connection, stream)
        guard wish.isHeard != isHeard else { return }
        let isFirst = isHeard && !wish.isOrdered
        wish.isHeard = isHeard
        wish.isOrdered = wish.isOrdered || isHeard
        participants[connection]?.subscriptions[id] = wish
        if isFirst { command(.subscribe(connection, id, wish.preferences)) }
        tell(
            connection,
            .subscriptionChanged(SubscriptionChanged(stream: id, state: isHeard ? .resumed : .suspended)))
    }

    // MARK: speakers

    /// Notifies the clients in a place of its active speaker.
    mutating func setActiveSpeaker(_ id: StreamID?, in place: Place) {
        let speaker = id.flatMap { id in
            published[id].flatMap { stream in
                stream.phase == .announced && subsessions.place(of: stream.owner) == place ? id : nil
            }
        }
        guard speaker != activeSpeakers[place] else { return }
        activeSpeakers[place] = speaker
        tell(audience(of: place), .activeSpeaker(ActiveSpeaker(stream: speaker)))
    }

    /// Clears the active speaker of a place if its stream has ended.
    mutating func silenceSpeaker(_ id: StreamID) {
        guard let place = activeSpeakers.first(where: { $0.value == id })?.key else { return }
        setActiveSpeaker(nil, in: place)
    }

    mutating func tellSpeaker(_ speaker: StreamID?, to id: ConnectionID, before: StreamID?) {
        guard speaker != before else { return }
        tell(id, .activeSpeaker(ActiveSpeaker(stream: speaker)))
    }
}
