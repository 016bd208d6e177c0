import Signaling

extension Conference {
    /// Chooses a new host: connected clients before lost ones, then managers before others, then in order of joining
    /// (USR-3). A manager can become host without a token that allows it, because the host made it manager (USR-9).
    mutating func passHost() {
        let able = order.compactMap { participants[$0] }.filter {
            $0.isClient && ($0.capabilities.canHost || $0.info.role == .manager)
        }
        let heir =
            able.first { $0.info.isConnected && $0.info.role == .manager }
            ?? able.first { $0.info.isConnected } ?? able.first { $0.info.role == .manager } ?? able.first
        if let heir { setRole(.host, of: heir.info.id) }
        tellAll(.hostChanged(HostChanged(host: heir?.info.id)))
    }

    mutating func makeHost(_ id: ConnectionID, by sender: ConnectionID) throws(SignalingError) {
        try requirePromotable(id)
        guard id != sender else { return }
        setRole(.participant, of: sender)
        setRole(.host, of: id)
        tellAll(.hostChanged(HostChanged(host: id)))
    }

    mutating func setManager(_ id: ConnectionID, _ isManager: Bool) throws(SignalingError) {
        guard let target = participants[id] else { throw SignalingError(.unknownUser, field: "user") }
        guard target.info.role != .host else {
            throw SignalingError(.notPermitted, "the host cannot be a manager", field: "user")
        }
        if isManager { try requirePromotable(id) }
        setRole(isManager ? .manager : .participant, of: id)
    }

    private func requirePromotable(_ id: ConnectionID) throws(SignalingError) {
        guard let target = participants[id] else { throw SignalingError(.unknownUser, field: "user") }
        guard target.isClient else {
            throw SignalingError(.notPermitted, "that publisher has no client", field: "user")
        }
        guard limits.policy.promotion == .any || target.capabilities.canHost else {
            throw SignalingError(.notPermitted, "that user's token does not allow the role", field: "user")
        }
    }

    private mutating func setRole(_ role: Role, of id: ConnectionID) {
        guard var info = participants[id]?.info, info.role != role else { return }
        let wasManager = isSubsessionManager(id)
        info.role = role
        participants[id]?.info = info
        noteSeat(of: id)
        if role == .host { host = id } else if host == id { host = nil }
        if role != .participant { refreshListing(of: id) }
        tellUserChanged(id)
        if role == .participant { refreshListing(of: id) }
        noteManagerRole(of: id, before: wasManager)
        // A participant that lost its role may not share while sharing is locked (USR-7).
        enforceShareLock(on: id)
    }

    /// Notifies a participant that its subsession manager role has changed (SUB-2).
    private mutating func noteManagerRole(of id: ConnectionID, before wasManager: Bool) {
        let isManager = isSubsessionManager(id)
        guard isManager != wasManager else { return }
        tell(id, .subsessionRoleChanged(SubsessionRoleChanged(isManager: isManager)))
        if isManager { noteManager(id, at: subsessions.location(of: id)) } else { forgetManager(id) }
    }

    mutating func lockShare(_ isLocked: Bool) {
        guard isShareLocked != isLocked else { return }
        isShareLocked = isLocked
        tellAll(.shareLockChanged(ShareLockChanged(isLocked: isLocked)))
        for id in order { enforceShareLock(on: id) }
    }

    /// Ends the screen shares of a plain participant while sharing is locked (USR-7).
    mutating func enforceShareLock(on id: ConnectionID) {
        guard isShareLocked, let participant = participants[id], participant.info.role == .participant else { return }
        for stream in participant.streams where published[stream]?.videoType == .screen { destroy(stream, .forced) }
    }

    mutating func rename(_ id: ConnectionID, _ name: String) throws(SignalingError) {
        guard var info = participants[id]?.info else { throw SignalingError(.unknownUser, field: "user") }
        let name = try DisplayName.normalized(name)
        guard info.name != name else { return }
        info.name = name
        participants[id]?.info = info
        noteSeat(of: id)
        tellUserChanged(id)
    }
}
