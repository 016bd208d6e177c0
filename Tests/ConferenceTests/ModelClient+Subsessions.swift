import Signaling

extension ModelClient {
    mutating func applyToSubsessions(_ event: Event) {
        switch event {
        case .subsessionsChanged(let body):
            subsessions = body.state
            if body.change == .stopped {
                check(body.state.subsessions.allSatisfy(\.users.isEmpty), "stopped, not empty")
            }
        case .subsessionRoleChanged(let body):
            check(subsessions.isManager != body.isManager, "told twice whether it is a manager")
            subsessions.isManager = body.isManager
            if !body.isManager { asked = [] }
        case .subsessionUsersChanged(let body):
            check(Set(body.changes.map(\.user)).count == body.changes.count, "moved twice in one event")
            for move in body.changes {
                check(users.contains { $0.id == move.user }, "a stranger moved: \(move.user)")
                location(move.user, in: move.to)
            }
        case .broadcast(let body):
            check(users.contains { $0.id == body.from }, "broadcast of a stranger: \(body.from)")
        case .helpRequested(let body):
            check(subsessions.isManager, "asked for help, and no manager")
            check(users.contains { $0.id == body.user && $0.name == body.userName }, "help for \(body.user)")
            check(
                subsessions.subsessions.contains { $0.id == body.subsession && $0.name == body.subsessionName },
                "help in an unknown subsession")
            // The client may have answered the request before this event was delivered.
            guard !answered.contains(body.request) else { break }
            check(asked.insert(body.request).inserted, "asked twice: \(body.request)")
        case .helpEnded(let body): check(asked.remove(body.request) != nil, "ended, not asked: \(body.request)")
        case .helpResult(let body):
            check(openHelp.remove(body.request) != nil, "a result of \(body.request), which is not open")
            check(endedHelp.insert(body.request).inserted, "a second result of \(body.request)")
        case .chat(let body):
            // A chat message of a user that is only counted has the user's name.
            check(body.name != nil || users.contains { $0.id == body.from }, "chat of a stranger: \(body.from)")
            check(body.to == nil || body.to == connection || body.from == connection, "chat to another")
        case .chatAllowedChanged(let body): isChatAllowed = body.isAllowed
        default: break
        }
    }

    mutating func location(_ user: ConnectionID, in subsession: SubsessionID?) {
        for index in subsessions.subsessions.indices {
            subsessions.subsessions[index].users.removeAll { $0 == user }
            if subsessions.subsessions[index].id == subsession { subsessions.subsessions[index].users.append(user) }
        }
    }
}
