import Signaling

extension SessionModel {
    mutating func apply(_ event: UsersChanged) -> [SessionEvent] {
        var events: [SessionEvent] = []
        for user in event.joined { events += add(user) }
        for gone in event.left { events += remove(gone) }
        let unlisted = Set(event.unlisted).subtracting([connection].compactMap { $0 })
        if !unlisted.isEmpty {
            let counted = users.filter { unlisted.contains($0.id) }
            users.removeAll { unlisted.contains($0.id) }
            if !counted.isEmpty { events.append(.usersUnlisted(counted)) }
        }
        return events + count(event.count)
    }

    /// Returns the events for users that are new or have changed. The local user is new only to a first join, which reports it by itself.
    func changes(from former: [UserInfo]) -> [SessionEvent] {
        let known = Dictionary(former.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var events: [SessionEvent] = []
        for user in users {
            guard var before = known[user.id] else {
                if user.id != connection { events.append(.connectionCreated(user)) }
                continue
            }
            if before.isConnected != user.isConnected { events.append(.userDropped(user.id, !user.isConnected)) }
            before.isConnected = user.isConnected
            if before != user { events.append(.userChanged(user)) }
        }
        return events
    }

    /// Lists a user for the first time, or updates its state.
    mutating func add(_ user: UserInfo) -> [SessionEvent] {
        if let index = users.firstIndex(where: { $0.id == user.id }) {
            guard users[index] != user else { return [] }
            users[index] = user
            return [.userChanged(user)]
        }
        // A user that was only counted until it got a stream may have joined before other users of the list.
        let index = users.lastIndex { $0.joinedAt <= user.joinedAt }.map { $0 + 1 } ?? 0
        users.insert(user, at: index)
        return [.connectionCreated(user)]
    }

    mutating func remove(_ gone: UserLeft) -> [SessionEvent] {
        let subsession = leaveSubsession(gone.user)
        let move = subsession.map {
            SessionEvent.subsessions(.usersChanged([SubsessionMove(user: gone.user, from: $0)]))
        }
        guard let index = users.firstIndex(where: { $0.id == gone.user }) else { return [move].compactMap { $0 } }
        return [move].compactMap { $0 } + [.connectionDestroyed(users.remove(at: index), gone.reason)]
    }

    /// Updates the number of users.
    /// - Parameter all: number of users in the session, listed or not.
    mutating func count(_ all: Int) -> [SessionEvent] {
        guard userCount != all else { return [] }
        userCount = all
        return [.userCountChanged(all)]
    }
}
