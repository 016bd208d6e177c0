internal import Signaling

extension SessionModel {
    /// Who is in a subsession, in order of joining the session.
    func users(in id: SubsessionID) -> [UserInfo] {
        let members = Set(subsessions.subsessions.first { $0.id == id }?.users ?? [])
        return users.filter { members.contains($0.id) }
    }

    /// Takes the whole state, as a join found it.
    /// - Returns: what is told of it: nothing where all is as it was.
    mutating func takeSubsessions(_ state: SubsessionsState) -> [SessionEvent] {
        let former = subsessions
        subsessions = state
        var events: [SessionEvent] = []
        if former.isManager != state.isManager { events.append(.subsessions(.roleChanged(isManager: state.isManager))) }
        guard former.status != state.status || former.subsessions != state.subsessions else { return events }
        let change: SubsessionsChange =
            switch state.status {
            case .none: .withdrawn
            case .committed: former.status == .started ? .stopped : .committed
            case .started: .started
            case .stopping: .stopping
            }
        events.append(.subsessions(.changed(change)))
        return events
    }

    /// - Returns: what the application is told.
    mutating func apply(_ event: SubsessionsChanged) -> [SessionEvent] {
        subsessions = event.state
        return [.subsessions(.changed(event.change))]
    }

    mutating func apply(_ event: SubsessionRoleChanged) -> [SessionEvent] {
        guard subsessions.isManager != event.isManager else { return [] }
        subsessions.isManager = event.isManager
        return [.subsessions(.roleChanged(isManager: event.isManager))]
    }

    mutating func apply(_ event: SubsessionUsersChanged) -> [SessionEvent] {
        let places = Dictionary(users.enumerated().map { ($1.id, $0) }) { first, _ in first }
        for move in event.changes {
            leaveSubsession(move.user)
            guard let to = move.to, let place = subsessions.subsessions.firstIndex(where: { $0.id == to }) else {
                continue
            }
            let mine = places[move.user] ?? .max
            let members = subsessions.subsessions[place].users
            let before = members.firstIndex { (places[$0] ?? .max) > mine } ?? members.endIndex
            subsessions.subsessions[place].users.insert(move.user, at: before)
        }
        return [.subsessions(.usersChanged(event.changes))]
    }

    /// A user is in no subsession any more.
    mutating func leaveSubsession(_ user: ConnectionID) {
        for place in subsessions.subsessions.indices { subsessions.subsessions[place].users.removeAll { $0 == user } }
    }
}
