package import Conference
internal import MediaBase
package import Signaling

extension Rooms: SessionsDoor {
    /// How long a session that an operator made waits for its first join.
    private static let reservationTime = MediaTime.seconds(3_600)

    private func room(at address: SessionKey) throws(SignalingError) -> Room {
        guard let room = room(address) else {
            throw SignalingError(.unknownSession, "there is no session \"\(address.name)\"")
        }
        return room
    }

    package func sessions(app: String?, after: SessionKey?, limit: Int) async -> [SessionOverview] {
        let wanted = all.filter { room in
            (app.map { $0 == room.key.app } ?? true) && (after.map { $0 < room.key } ?? true)
        }
        var sessions: [SessionOverview] = []
        for room in wanted.sorted(by: { $0.key < $1.key }).prefix(limit) { sessions.append(await room.overview) }
        return sessions
    }

    package func session(_ address: SessionKey) async throws(SignalingError) -> SessionOverview {
        await (try room(at: address)).overview
    }

    package func participants(of address: SessionKey) async throws(SignalingError) -> [UserInfo] {
        await (try room(at: address)).users
    }

    package func streams(of address: SessionKey) async throws(SignalingError) -> [StreamInfo] {
        await (try room(at: address)).streams
    }

    package func create(_ address: SessionKey, password: String?) async throws(SignalingError) -> SessionOverview {
        let reservation = Reservation(password: password, expires: ControlClock.now + Self.reservationTime)
        let entry = try enter(address, reservation: reservation)
        await entry.room.begin()
        return await entry.room.overview
    }

    package func order(_ command: AdminCommand, in address: SessionKey) async throws(SignalingError) {
        try await (try room(at: address)).admin(command)
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
