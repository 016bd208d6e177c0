import MediaBase
package import Signaling

/// The list of participants that clients know by name, and events about joins and leaves. If each join sent an event to
/// all clients and each join answer listed all participants, filling a session would cost the square of its size.
extension Conference {
    /// Changes in one event. Bounds its size, because the outboxes of lost clients keep it.
    private static let changesAnEvent = 500

    // MARK: listing

    /// Clients that other clients know by name, in order of joining.
    package var listedClients: [UserInfo] { listed.compactMap { participants[$0]?.info }.filter { $0.kind == .client } }

    /// Returns whether other clients know a participant by name; false if it is only counted.
    package func isListed(_ id: ConnectionID) -> Bool { participants[id]?.isListed == true }

    /// Handles a participant that was added to `participants` and `order`.
    mutating func noteJoin(of id: ConnectionID) {
        if !isCounting, order.count >= limits.listedUsers {
            isCounting = true
            for user in listed where isPlain(user) { unlist(user) }
        }
        if isCounting, isPlain(id) { notePresence(id, nil) } else { list(id) }
        // No other client needs the event.
        if clients.isEmpty || clients == [id] { presence = PresenceChanges() }
    }

    /// Handles a participant that was removed from all lists.
    /// - Parameter isKnown: whether clients know the participant by name.
    mutating func noteLeave(of id: ConnectionID, _ reason: DisconnectReason, isKnown: Bool) {
        notePresence(id, isKnown ? .left(reason) : nil)
        // Half the limit, so that a session whose size varies around the limit does not switch back and forth.
        guard isCounting, order.count < limits.listedUsers / 2 else { return }
        isCounting = false
        for user in order { list(user) }
    }

    /// Lists or unlists a participant after a change of its streams or role.
    mutating func refreshListing(of id: ConnectionID) {
        if isPlain(id) {
            if isCounting { unlist(id) }
        } else {
            list(id)
        }
    }

    /// Returns whether the participant has neither an announced stream nor a role.
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

    /// Finds the index by binary search. A search by id would compare with every participant of a large session.
    /// - Parameter users: ids in order of joining. All are in `participants`, except possibly one with exactly the
    ///   ordinal searched for.
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

    /// Returns the page of listed participants after an ordinal; 0 for the first page.
    func page(after ordinal: UInt64) -> UsersPage {
        let start = firstIndex(in: listed, after: ordinal)
        let ids = listed[start...].prefix(max(limits.usersPage, 1))
        let isLast = start + ids.count == listed.count
        let last = ids.last.flatMap { participants[$0]?.ordinal }
        // A single page lists streams in order of announcement.
        let streams =
            start == 0 && isLast
            ? streamOrder
            : ids.flatMap { participants[$0]?.streams ?? [] }.filter { published[$0]?.phase == .announced }
        return UsersPage(
            users: ids.compactMap { participants[$0]?.info }, streams: streams.compactMap { info(of: $0) },
            nextPage: isLast ? nil : last)
    }

    // MARK: events

    private mutating func notePresence(_ id: ConnectionID, _ change: PresenceChanges.Change?) {
        presence.note(id, change, due: latest + presenceInterval)
        if limits.presenceSharing == .zero { tellPresence() }
    }

    /// Time between events about joins and leaves. Longer than `presenceSharing` in a session so large that the events
    /// would exceed `presenceMessagesPerSecond`.
    private var presenceInterval: MediaTime {
        let all = Double(clients.count) / Double(max(limits.presenceMessagesPerSecond, 1))
        return max(limits.presenceSharing, .seconds(all))
    }

    /// Sends the events about joins and leaves that are due.
    /// - Parameter now: nil sends all, due or not.
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

    /// Announces a participant's new state: to all if it is listed, otherwise only to itself.
    mutating func tellUserChanged(_ id: ConnectionID) {
        guard let participant = participants[id] else { return }
        let event = Event.userChanged(UserChanged(user: participant.info))
        if participant.isListed { tellAll(event) } else { tell(id, event) }
    }

    /// Announces pending joins first if the event is about a participant that clients do not know yet.
    mutating func introduceUser(of event: Event) {
        switch event.subject {
        case .none: break
        case .user(let id): if presence.isJoining(id) { tellPresence() }
        case .users: if presence.due != nil { tellPresence() }
        }
    }
}
