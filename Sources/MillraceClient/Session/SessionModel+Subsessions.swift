import Signaling

extension SessionModel {
    /// Subsession of the local user; nil in the main session.
    var ownSubsession: SubsessionID? {
        guard let connection else { return nil }
        return subsessions.subsessions.first { $0.users.contains(connection) }?.id
    }

    /// Returns the users of a subsession, in order of joining the session.
    func users(in id: SubsessionID) -> [UserInfo] {
        let members = Set(subsessions.subsessions.first { $0.id == id }?.users ?? [])
        return users.filter { members.contains($0.id) }
    }

    /// Replaces the whole state with that of a join.
    /// - Parameter isFirst: true if there was no earlier connection; the role is then reported whatever it
    ///   is.
    /// - Returns: events for the application; apart from the role, none if nothing has changed.
    mutating func takeSubsessions(_ state: SubsessionsState, isFirst: Bool) -> [SessionEvent] {
        let former = subsessions
        subsessions = state
        var events: [SessionEvent] = []
        if isFirst || former.isManager != state.isManager {
            events.append(.subsessions(.roleChanged(isManager: state.isManager)))
        }
        let isSameList =
            former.subsessions.map(\.id) == state.subsessions.map(\.id)
            && former.subsessions.map(\.name) == state.subsessions.map(\.name)
        if !isSameList || former.status != state.status {
            let wasStarted = former.status == .started || former.status == .stopping
            let change: SubsessionsChange =
                switch state.status {
                case .none: .withdrawn
                case .committed: wasStarted && isSameList ? .stopped : .committed
                case .started: .started
                case .stopping: .stopping
                }
            events.append(.subsessions(.changed(change)))
        }
        let moves = isFirst ? [] : Self.moves(from: former, to: state)
        if !moves.isEmpty { events.append(.subsessions(.usersChanged(moves))) }
        return events
    }

    /// Returns the users whose subsession has changed. Subsessions that no longer exist do not count as the
    /// origin of a move.
    private static func moves(from former: SubsessionsState, to state: SubsessionsState) -> [SubsessionMove] {
        var before: [ConnectionID: SubsessionID] = [:]
        for subsession in former.subsessions where state.subsessions.contains(where: { $0.id == subsession.id }) {
            for user in subsession.users { before[user] = subsession.id }
        }
        var moves: [SubsessionMove] = []
        for subsession in state.subsessions {
            for user in subsession.users {
                let from = before.removeValue(forKey: user)
                if from != subsession.id { moves.append(SubsessionMove(user: user, from: from, to: subsession.id)) }
            }
        }
        // Users that are in no subsession any more, in the order of the list.
        for user in former.subsessions.flatMap(\.users) {
            guard let from = before[user] else { continue }
            moves.append(SubsessionMove(user: user, from: from))
        }
        return moves
    }

    /// - Returns: events for the application.
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
        let positions = positions
        for change in event.changes { move(change.user, to: change.to, positions) }
        return [.subsessions(.usersChanged(event.changes))]
    }

    /// Position of each user in order of joining.
    private var positions: [ConnectionID: Int] {
        Dictionary(users.enumerated().map { ($1.id, $0) }) { first, _ in first }
    }

    /// Moves a user.
    /// - Parameter to: target subsession; nil for the main session.
    mutating func move(_ user: ConnectionID, to: SubsessionID?) { move(user, to: to, positions) }

    private mutating func move(_ user: ConnectionID, to: SubsessionID?, _ positions: [ConnectionID: Int]) {
        leaveSubsession(user)
        guard let to, let index = subsessions.subsessions.firstIndex(where: { $0.id == to }) else { return }
        let mine = positions[user] ?? .max
        let members = subsessions.subsessions[index].users
        let before = members.firstIndex { (positions[$0] ?? .max) > mine } ?? members.endIndex
        subsessions.subsessions[index].users.insert(user, at: before)
    }

    /// Removes a user from its subsession.
    /// - Returns: the subsession that the user was in.
    @discardableResult
    mutating func leaveSubsession(_ user: ConnectionID) -> SubsessionID? {
        guard let index = subsessions.subsessions.firstIndex(where: { $0.users.contains(user) }) else { return nil }
        subsessions.subsessions[index].users.removeAll { $0 == user }
        return subsessions.subsessions[index].id
    }
}
