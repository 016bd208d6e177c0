import MediaBase
import Signaling

/// The list of users that clients know by name, and the events of joins and leaves. With an event to all clients at each join, and all users in
/// each join answer, the cost of filling a session would grow with the square of its size.
extension Conference {
    /// Keeps events small enough for the outboxes of clients that are away.
    private static let changesAnEvent = 500

    // MARK: listing

    /// A new user has been added to `participants` and `order`.
    mutating func noteJoin(of id: ConnectionID) {
        if !isCounting, order.count >= limits.listedUsers {
            isCounting = true
            for user in listed where isPlain(user) { unlist(user) }
        }
        if isCounting, isPlain(id) { notePresence(id, nil) } else { list(id) }
        // No other client has to be told.
        if clients.isEmpty || clients == [id] { presence = PresenceChanges() }
    }

    /// A user has been taken from everything.
    /// - Parameter isKnown: clients know it by name.
    mutating func noteLeave(of id: ConnectionID, _ reason: DisconnectReason, isKnown: Bool) {
        notePresence(id, isKnown ? .left(reason) : nil)
        // Half the size, so that a session about the limit does not go to and fro.
        guard isCounting, order.count < limits.listedUsers / 2 else { return }
        isCounting = false
        for user in order { list(user) }
    }

    /// The user has got a stream or a role, or lost it.
    mutating func refreshListing(of id: ConnectionID) {
        if isPlain(id) {
            if isCounting { unlist(id) }
        } else {
            list(id)
        }
    }

    /// Has neither an announced stream nor a role.
    private func isPlain(_ id: ConnectionID) -> Bool {
        guard let participant = participants[id] else { return true }
        return participant.info.role == .participant
            && !participant.streams.contains { published[$0]?.phase == .announced }
    }

    private mutating func list(_ id: ConnectionID) {
        guard let participant = participants[id], !participant.isListed else { return }
        participants[id]?.isListed = true
        listed.insert(id, at: firstIndex(in: listed, after: participant.ordinal))
        notePresence(id, .joined)
    }

    private mutating func unlist(_ id: ConnectionID) {
        guard let participant = participants[id], participant.isListed else { return }
        participants[id]?.isListed = false
        remove(participant, from: \.listed)
        notePresence(id, .unlisted)
    }

    /// A binary search: a search by id would compare with every user of a large session.
    /// - Parameter users: in order of joining, all of them in `participants` but for one of the ordinal that is looked for.
    func firstIndex(in users: [ConnectionID], after ordinal: UInt64) -> Int {
        var (low, high) = (0, users.count)
        while low < high {
            let middle = low + (high - low) / 2
            if (participants[users[middle]]?.ordinal ?? .max) <= ordinal {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    mutating func remove(_ participant: Participant, from users: WritableKeyPath<Conference, [ConnectionID]>) {
        let index = firstIndex(in: self[keyPath: users], after: participant.ordinal - 1)
        guard index < self[keyPath: users].count, self[keyPath: users][index] == participant.info.id else { return }
        self[keyPath: users].remove(at: index)
    }

    // MARK: pages

    /// The listed users after the one with that ordinal; 0: from the first one on.
    func page(after ordinal: UInt64) -> UsersPage {
        let start = firstIndex(in: listed, after: ordinal)
        let ids = listed[start...].prefix(max(limits.usersPage, 1))
        let isLast = start + ids.count == listed.count
        let last = ids.last.flatMap { participants[$0]?.ordinal }
        // In the order of their announcement if they are all there.
        let streams =
            start == 0 && isLast
            ? streamOrder
            : ids.flatMap { participants[$0]?.streams ?? [] }.filter { published[$0]?.phase == .announced }
        return UsersPage(
            users: ids.compactMap { participants[$0]?.info }, streams: streams.compactMap { info(of: $0) },
            nextPage: isLast ? nil : last)
    }

    // MARK: telling

    private mutating func notePresence(_ id: ConnectionID, _ change: PresenceChanges.Change?) {
        presence.note(id, change, due: latest + presenceInterval)
        if limits.presenceSharing == .zero { tellPresence() }
    }

    /// Longer than `presenceSharing` in a session so large that it would take too many messages a second.
    private var presenceInterval: MediaTime {
        let all = Double(clients.count) / Double(max(limits.presenceMessagesPerSecond, 1))
        return max(limits.presenceSharing, .seconds(all))
    }

    /// Tells of joins and leaves that are due.
    /// - Parameter now: nil: of all.
    mutating func tellPresence(now: MediaTime? = nil) {
        guard let changes = presence.take(now: now ?? .never) else { return }
        if !isCounting, changes.count == 1, let (id, change) = changes.first {
            switch change {
            case .joined:
                guard let user = participants[id]?.info else { return }
                return tellAll(.userJoined(UserJoined(user: user)), excluding: id)
            case .left(let reason): return tellAll(.userLeft(UserLeft(user: id, reason: reason)))
            case .unlisted: break
            }
        }
        var rest = changes[...]
        repeat {
            var event = UsersChanged(count: order.count)
            for (id, change) in rest.prefix(Self.changesAnEvent) {
                switch change {
                case .joined: if let user = participants[id]?.info { event.joined.append(user) }
                case .left(let reason): event.left.append(UserLeft(user: id, reason: reason))
                case .unlisted: event.unlisted.append(id)
                }
            }
            tellAll(.usersChanged(event))
            rest = rest.dropFirst(Self.changesAnEvent)
        } while !rest.isEmpty
    }

    /// Tells of a user's new state: to itself alone if the others only count it.
    mutating func tellUserChanged(_ id: ConnectionID) {
        guard let participant = participants[id] else { return }
        let event = Event.userChanged(UserChanged(user: participant.info))
        if participant.isListed { tellAll(event) } else { tell(id, event) }
    }

    /// Clients know a user before they are told anything else of it.
    mutating func introduceUser(of event: Event) {
        switch event.subject {
        case .none: break
        case .user(let id): if presence.isJoining(id) { tellPresence() }
        case .users: if presence.due != nil { tellPresence() }
        }
    }
}
