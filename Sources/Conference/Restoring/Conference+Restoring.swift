package import MediaBase
package import Signaling

/// State that survives the loss of a session's home relay.
extension Conference {
    package var essence: SessionEssence {
        SessionEssence(
            createdAt: createdAt, password: password, isPasswordSettled: isPasswordSettled,
            requiresEncryption: requiresEncryption, isMuteForced: isMuteForced, isShareLocked: isShareLocked,
            isChatAllowed: isChatAllowed, subsessionStatus: subsessionStatus,
            subsessions: subsessions.list.map { SessionEssence.Subsession(id: $0.id, name: $0.name) },
            subsessionsMade: subsessions.made, revoked: revoked.all, isSpread: isSpread)
    }

    /// Returns the state of a client; nil if it is none. Publishers without signalling have no seat, because they cannot resume.
    package func seat(of id: ConnectionID) -> Seat? {
        guard let participant = participants[id], participant.isClient else { return nil }
        var mutes = participant.inheritedMutes
        for stream in participant.streams.compactMap({ published[$0] }) {
            for kind in TrackKind.allCases where stream.has(kind) {
                let mute = Seat.Mute(videoType: stream.videoType, kind: kind)
                if stream.isMuted(kind) { mutes.insert(mute) } else { mutes.remove(mute) }
            }
        }
        let info = participant.info
        let streams = participant.formerStreams + participant.streams.compactMap { published[$0]?.saved }
        return Seat(
            connection: id, name: info.name, identity: info.identity, data: info.data, role: info.role,
            capabilities: participant.capabilities, token: participant.token, isTrusted: participant.isTrusted,
            media: participant.media, e2eeKey: info.e2eeKey, ordinal: participant.ordinal, joinedAt: info.joinedAt,
            subsession: location(of: id).subsession, mutes: mutes.sorted(),
            streams: streams.isEmpty ? nil : streams)
    }

    /// Notes that a client's state may have changed.
    mutating func noteSeat(of id: ConnectionID) {
        if recordsSeatChanges { changedSeats.insert(id) }
    }

    /// Returns the clients whose states may have changed since the last call, with their states; nil: the client is gone.
    package mutating func takeChangedSeats() -> [(ConnectionID, Seat?)] {
        defer { changedSeats = [] }
        return changedSeats.sorted { $0.rawValue < $1.rawValue }.map { ($0, seat(of: $0)) }
    }

    /// Continues a session whose home relay was lost. All clients are lost, with the full grace time, and all streams have ended, except those
    /// that `adopt` continues. Clients resume, and publish and subscribe again; their streams are muted as before.
    ///
    /// - Parameter seats: those of all clients, in any order.
    package init(
        restoring essence: SessionEssence, seats: [Seat], id: SessionID, app: String, name: String,
        limits: ConferenceLimits, now: MediaTime
    ) {
        self.init(
            id: id, app: app, name: name, limits: limits, createdAt: essence.createdAt, password: essence.password,
            requiresEncryption: essence.requiresEncryption, isPasswordSettled: essence.isPasswordSettled, now: now)
        isMuteForced = essence.isMuteForced
        isShareLocked = essence.isShareLocked
        isChatAllowed = essence.isChatAllowed
        isSpread = essence.isSpread ?? true
        for token in essence.revoked { revoked.insert(token) }
        subsessions = Subsessions(
            essence.subsessions, made: essence.subsessionsMade, phase: essence.subsessionStatus)
        joins = seats.map(\.ordinal).max() ?? 0
        for seat in seats.sorted(by: { $0.ordinal < $1.ordinal }) { restore(seat, now: now) }
        if !order.isEmpty { (phase, hasStarted) = (.live, true) }
        // No client is there to be told.
        presence = PresenceChanges()
        effects = []
    }

    private mutating func restore(_ seat: Seat, now: MediaTime) {
        let id = seat.connection
        guard participants[id] == nil, order.count < limits.participants else { return }
        // A second host can only come from a store that mixed two states.
        let role = seat.role == .host && host != nil ? .participant : seat.role
        if role == .host { host = id }
        let info = UserInfo(
            id: id, name: seat.name, identity: seat.identity, data: seat.data, role: role, isConnected: false,
            joinedAt: seat.joinedAt, e2eeKey: seat.e2eeKey)
        participants[id] = Participant(
            info: info, capabilities: seat.capabilities, token: seat.token, isTrusted: seat.isTrusted,
            media: seat.media, ordinal: seat.ordinal, formerStreams: seat.streams ?? [],
            inheritedMutes: Set(seat.mutes),
            graceEnds: now + limits.graceTime)
        order.append(id)
        clients.append(id)
        lost.append(id)
        noteJoin(of: id)
        if let subsession = seat.subsession { subsessions.restore(id, in: subsession) }
    }
}
