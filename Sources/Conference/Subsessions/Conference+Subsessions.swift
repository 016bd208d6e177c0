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

    mutating func performOnSubsessions(
        _ request: Request, _ sender: ConnectionID, now: MediaTime
    ) throws(SignalingError) -> RequestAnswer {
        switch request {
        case .subsessions:
            try authorize(.subsessions, sender)
            try participants[sender]?.rates.admit(.list, limits, now: now)
            return .subsessions(subsessionsState(isManager: isSubsessionManager(sender)))
        case .commitSubsessions(let body):
            try authorize(.commitSubsessions, sender)
            return .committed(try commitSubsessions(body.names))
        case .withdrawSubsessions:
            try authorize(.withdrawSubsessions, sender)
            try withdrawSubsessions()
        case .startSubsessions:
            try authorize(.startSubsessions, sender)
            try startSubsessions()
        case .stopSubsessions:
            try authorize(.stopSubsessions, sender)
            try stopSubsessions()
        case .joinSubsession, .returnToMainSession: try performMove(request, sender, now: now)
        case .broadcast(let body):
            try authorize(.broadcast, sender)
            try broadcast(body, from: sender, now: now)
        case .requestHelp:
            try authorize(.requestHelp, sender)
            return .help(RequestHelpRequest.Answer(request: try requestHelp(sender, now: now)))
        case .answerHelp(let body):
            try authorize(.answerHelp, sender)
            try answerHelp(body, by: sender, now: now)
        default: throw SignalingError(.unknownMethod)
        }
        return .done
    }

    private mutating func commitSubsessions(
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

    private mutating func withdrawSubsessions() throws(SignalingError) {
        try requireCommitted()
        subsessions.withdraw()
        tellSubsessions(.withdrawn)
    }

    private mutating func startSubsessions() throws(SignalingError) {
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
    private mutating func stopSubsessions() throws(SignalingError) {
        guard subsessions.phase == .started else {
            throw SignalingError(.subsessionsState, "the subsessions have not started")
        }
        let places = Dictionary(uniqueKeysWithValues: subsessions.users.map { ($0, subsessions.place(of: $0)) })
        let speakers = activeSpeakers
        let returning = subsessions.stop()
        activeSpeakers = speakers.filter { $0.key == .mainSession }
        if !returning.isEmpty { command(.place(returning, .mainSession)) }
        for request in helpRequests { endHelp(request.id, .ignored) }
        tellSubsessions(.stopping, as: .stopping)
        for stream in streamOrder { refreshHearing(ofSubscribersTo: stream) }
        for id in returning {
            let before = places[id].flatMap { speakers[$0] }
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
    mutating func tellFailure(of request: Request, to sender: ConnectionID) {
        let change: SubsessionsChange
        switch request {
        case .commitSubsessions: change = .commitFailed
        case .withdrawSubsessions: change = .withdrawFailed
        case .startSubsessions: change = .startFailed
        case .stopSubsessions: change = .stopFailed
        default: return
        }
        let state = subsessionsState(isManager: isSubsessionManager(sender))
        tell(sender, .subsessionsChanged(SubsessionsChanged(change: change, state: state)))
    }

    /// Sends a text to all participants in subsessions (SUB-2).
    private mutating func broadcast(
        _ request: BroadcastRequest, from sender: ConnectionID, now: MediaTime
    ) throws(SignalingError) {
        guard subsessions.phase == .started else {
            throw SignalingError(.subsessionsState, "the subsessions have not started")
        }
        guard subsessions.place(of: sender) == .mainSession else {
            throw SignalingError(.subsessionsState, "a broadcast comes from the main session")
        }
        if let objection = request.objection { throw objection }
        try participants[sender]?.rates.admit(.broadcast, limits, now: now)
        tell(subsessions.users, .broadcast(BroadcastReceived(from: sender, text: request.text)))
    }
}
