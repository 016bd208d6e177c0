internal import Conference
internal import MediaBase
package import Signaling

extension Rooms: SessionsDoor {
    /// How long a session that an operator made waits for its first join.
    private static let reservationTime = MediaTime.seconds(3_600)

    private func key(_ address: SessionAddress) throws(SignalingError) -> SessionKey {
        try SessionKey(app: ruleApp(address.app), name: address.name.rawValue)
    }

    private func room(at address: SessionAddress) throws(SignalingError) -> Room {
        guard let room = room(try key(address)) else {
            throw SignalingError(.unknownSession, "there is no session \"\(address.name)\"")
        }
        return room
    }

    package func sessions(app: String?, after: SessionAddress?, limit: Int) async -> [SessionOverview] {
        let wanted = all.compactMap { room -> (SessionAddress, Room)? in
            let own = room.environment.app(of: room.key)
            guard app == nil || app == own, let address = SessionAddress(app: own, sessionName: room.key.name),
                after.map({ $0 < address }) ?? true
            else { return nil }
            return (address, room)
        }
        var sessions: [SessionOverview] = []
        for (_, room) in wanted.sorted(by: { $0.0 < $1.0 }).prefix(limit) { sessions.append(await room.overview) }
        return sessions
    }

    package func session(_ address: SessionAddress) async throws(SignalingError) -> SessionOverview {
        await (try room(at: address)).overview
    }

    package func participants(of address: SessionAddress) async throws(SignalingError) -> [UserInfo] {
        await (try room(at: address)).users
    }

    package func streams(of address: SessionAddress) async throws(SignalingError) -> [StreamInfo] {
        await (try room(at: address)).streams
    }

    package func create(_ address: SessionAddress, password: String?) async throws(SignalingError) -> SessionOverview {
        let key = try key(address)
        let reservation = Reservation(password: password, expires: ControlClock.now + Self.reservationTime)
        let entry = try enter(key, reservation: reservation)
        await entry.room.begin()
        return await entry.room.overview
    }

    package func setMuted(
        _ isMuted: Bool, stream: StreamID, kind: TrackKind, in address: SessionAddress
    ) async throws(SignalingError) {
        try await command(.setMuted(stream, kind, isMuted), address)
    }

    package func mute(user: ConnectionID, kind: TrackKind, in address: SessionAddress) async throws(SignalingError) {
        try await command(.muteUser(user, kind), address)
    }

    package func remove(user: ConnectionID, in address: SessionAddress) async throws(SignalingError) {
        try await command(.remove(user), address)
    }

    package func end(_ address: SessionAddress) async throws(SignalingError) { try await command(.end, address) }

    private func command(_ command: AdminCommand, _ address: SessionAddress) async throws(SignalingError) {
        let room = try room(at: address)
        try await room.admin(command)
        await room.settle()
    }

    package func announceDrain(seconds: Int, url: String?) async {
        beginDraining()
        let event = Draining(seconds: seconds, url: url)
        for room in all { await room.announceDrain(event) }
    }

    package func endAll() async {
        beginDraining()
        for room in all { await room.end(.relayShutdown) }
    }

    package func gauges() async -> SessionGauges {
        var gauges = SessionGauges()
        for room in all {
            let users = await room.users
            gauges.sessions += 1
            for user in users { gauges.users[user.kind, default: 0] += 1 }
            gauges.streams += await room.streams.count
            gauges.dropped += await room.droppedCount
        }
        let counts = environment.statistics.values.connect
        gauges.connections = counts.sockets
        gauges.joins = counts.joins
        gauges.refusals = counts.refusals
        gauges.disconnects = counts.disconnects
        gauges.resumes = counts.resumes
        gauges.messagesReceived = counts.messagesReceived
        gauges.messagesSent = counts.messagesSent
        return gauges
    }
}
