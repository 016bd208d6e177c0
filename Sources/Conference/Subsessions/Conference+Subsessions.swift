import MediaBase
package import Signaling

/// The list of subsessions, from its commit to its end (SUB-1, SUB-2).
extension Conference {
    /// All subsessions with their participants.
    package var subsessionList: [SubsessionInfo] { subsessions.list }

    package var subsessionStatus: SubsessionStatus {
        switch subsessions.phase {
        case .none: .none
        case .committed: .committed
        case .started: .started
        }
    }

    func subsessionsState(isManager: Bool) -> SubsessionsState {
        SubsessionsState(status: subsessionStatus, subsessions: subsessions.list, isManager: isManager)
    }

    func isSubsessionManager(_ id: ConnectionID) -> Bool { participants[id]?.isSubsessionManager == true }

    /// Counts an action of the sender against its rate.
    /// - Throws: `rateLimited`.
    mutating func admit(_ kind: ParticipantRates.Kind, _ sender: RequestSender) throws(SignalingError) {
        try participants[sender.id]?.rates.admit(kind, limits, now: sender.now)
    }

    mutating func commitSubsessions(
        _ names: [String]
    ) throws(SignalingError) -> CommitSubsessionsRequest.Answer {
        guard subsessions.phase != .started else {
            throw SignalingError(.subsessionsState, "the subsessions have started")
        }
        guard !names.isEmpty else { throw SignalingError(.invalidField, "the list of names is empty", field: "names") }
        guard names.count <= limits.subsessions else {
            throw SignalingError(
                .limitReached, "a session has at most \(limits.subsessions) subsessions", field: "names",
                limit: ConferenceLimits.subsessionsKey)
        }
        var seen: Set<String> = []
        for name in names {
            if let objection = NameRule.objection(to: name) {
                throw SignalingError(.invalidField, objection, field: "names")
            }
            guard seen.insert(name.lowercased()).inserted else {
                throw SignalingError(.invalidField, "two subsessions are named \"\(name)\"", field: "names")
            }
        }
        subsessions.commit(names)
        tellSubsessions(.committed)
        return CommitSubsessionsRequest.Answer(subsessions: subsessions.list)
    }

    mutating func withdrawSubsessions() throws(SignalingError) {
        try requireCommitted()
        subsessions.withdraw()
        tellSubsessions(.withdrawn)
    }

    mutating func startSubsessions() throws(SignalingError) {
        try requireCommitted()
        subsessions.start()
        tellSubsessions(.started)
    }

    private func requireCommitted() throws(SignalingError) {
        switch subsessions.phase {
        case .none: throw SignalingError(.subsessionsState, "no subsessions are committed")
        case .committed: break
        case .started: throw SignalingError(.subsessionsState, "the subsessions have started")
        }
    }

    /// Returns all participants to the main session at once (SUB-3).
    mutating func stopSubsessions() throws(SignalingError) {
        guard subsessions.phase == .started else {
            throw SignalingError(.subsessionsState, "the subsessions have not started")
        }
        let locations = Dictionary(uniqueKeysWithValues: subsessions.users.map { ($0, subsessions.location(of: $0)) })
        let speakers = activeSpeakers
        let returning = subsessions.stop()
        for id in returning { noteSeat(of: id) }
        activeSpeakers = speakers.filter { $0.key == .mainSession }
        if !returning.isEmpty { command(.relocate(returning, .mainSession)) }
        for request in helpRequests { endHelp(request.id, .ignored) }
        tellSubsessions(.stopping, as: .stopping)
        for stream in streamOrder { refreshHearing(ofSubscribersTo: stream) }
        for id in returning {
            let before = locations[id].flatMap { speakers[$0] }
            tellSpeaker(activeSpeakers[.mainSession], to: id, before: before)
        }
        tellSubsessions(.stopped)
    }

    /// Sends the list to all clients; managers are told that they are managers.
    private mutating func tellSubsessions(_ change: SubsessionsChange, as status: SubsessionStatus? = nil) {
        var state = subsessionsState(isManager: true)
        if let status { state.status = status }
        let managers = clients.filter { isSubsessionManager($0) }
        tell(managers, .subsessionsChanged(SubsessionsChanged(change: change, state: state)))
        guard managers.count < clients.count else { return }
        state.isManager = false
        tell(
            managers.isEmpty ? clients : clients.filter { !isSubsessionManager($0) },
            .subsessionsChanged(SubsessionsChanged(change: change, state: state)))
    }

    /// Sends an event about the failed action to its sender, in addition to the error answer (SUB-1).
    mutating func tellFailure(_ change: SubsessionsChange, to sender: ConnectionID) {
        let state = subsessionsState(isManager: isSubsessionManager(sender))
        tell(sender, .subsessionsChanged(SubsessionsChanged(change: change, state: state)))
    }

    /// Sends a text to all participants in subsessions (SUB-2).
    mutating func broadcast(
        _ request: BroadcastRequest, from sender: RequestSender
    ) throws(SignalingError) {
        guard subsessions.phase == .started else {
            throw SignalingError(.subsessionsState, "the subsessions have not started")
        }
        guard subsessions.location(of: sender.id) == .mainSession else {
            throw SignalingError(.subsessionsState, "a broadcast comes from the main session")
        }
        if let objection = request.objection { throw objection }
        try admit(.broadcast, sender)
        tell(subsessions.users, .broadcast(BroadcastReceived(from: sender.id, text: request.text)))
    }
}
