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

    /// Lists a user for the first time, or updates its state.
    mutating func add(_ user: UserInfo) -> [SessionEvent] {
        if let place = users.firstIndex(where: { $0.id == user.id }) {
            guard users[place] != user else { return [] }
            users[place] = user
            return [.userChanged(user)]
        }
        // A user that was only counted until it got a stream may have joined before other users of the list.
        let place = users.lastIndex { $0.joinedAt <= user.joinedAt }.map { $0 + 1 } ?? 0
        users.insert(user, at: place)
        return [.connectionCreated(user)]
    }

    mutating func remove(_ gone: UserLeft) -> [SessionEvent] {
        let room = leaveSubsession(gone.user)
        let move = room.map { SessionEvent.subsessions(.usersChanged([SubsessionMove(user: gone.user, from: $0)])) }
        guard let place = users.firstIndex(where: { $0.id == gone.user }) else { return [move].compactMap { $0 } }
        return [move].compactMap { $0 } + [.connectionDestroyed(users.remove(at: place), gone.reason)]
    }

    /// Updates the number of users.
    /// - Parameter all: number of users in the session, listed or not.
    mutating func count(_ all: Int) -> [SessionEvent] {
        guard userCount != all else { return [] }
        userCount = all
        return [.userCountChanged(all)]
    }
}
