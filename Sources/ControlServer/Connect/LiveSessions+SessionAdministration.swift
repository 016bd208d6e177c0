package import Conference
import MediaBase
package import Signaling

extension LiveSessions: SessionAdministration {
    /// Time that a session created by an operator waits for its first join.
    private static let reservationTime = MediaTime.seconds(3_600)

    private func liveSession(at address: SessionKey) throws(SignalingError) -> LiveSession {
        guard let liveSession = liveSession(address) else {
            throw SignalingError(.unknownSession, "there is no session \"\(address.name)\"")
        }
        return liveSession
    }

    package func sessions(app: String?, after: SessionKey?, limit: Int) async -> [SessionOverview] {
        let wanted = all.filter { liveSession in
            (app.map { $0 == liveSession.key.app } ?? true) && (after.map { $0 < liveSession.key } ?? true)
        }
        var sessions: [SessionOverview] = []
        for liveSession in wanted.sorted(by: { $0.key < $1.key }).prefix(limit) {
            sessions.append(await liveSession.read { $0.overview })
        }
        return sessions
    }

    package func session(_ address: SessionKey) async throws(SignalingError) -> SessionOverview {
        await (try liveSession(at: address)).read { $0.overview }
    }

    package func participants(of address: SessionKey) async throws(SignalingError) -> [UserInfo] {
        await (try liveSession(at: address)).read { $0.users }
    }

    package func statistics(
        of user: ConnectionID, in address: SessionKey
    ) async throws(SignalingError) -> StatisticsAnswer {
        try await (try liveSession(at: address)).statistics(of: user)
    }

    package func quality(
        of user: ConnectionID, in address: SessionKey
    ) async throws(SignalingError) -> QualityAnswer {
        try await (try liveSession(at: address)).quality(of: user)
    }

    package func streams(of address: SessionKey) async throws(SignalingError) -> [StreamInfo] {
        await (try liveSession(at: address)).read { $0.streams }
    }

    package func create(
        _ address: SessionKey, password: String?, requiresEncryption: Bool
    ) async throws(SignalingError) -> SessionOverview {
        let reservation = Reservation(
            password: password, requiresEncryption: requiresEncryption,
            expires: ControlClock.now + Self.reservationTime)
        let entry = try await enter(address, reservation: reservation)
        await entry.liveSession.turn { $0.begin() }
        return await entry.liveSession.read { $0.overview }
    }

    package func order(_ command: AdminCommand, in address: SessionKey) async throws(SignalingError) {
        try checkTenure()
        try await (try liveSession(at: address)).admin(command)
    }

    package func pushes(of address: SessionKey) async throws(SignalingError) -> [SessionPushAnswer] {
        await (try liveSession(at: address)).read { $0.pushAnswers }
    }

    package func startPush(
        _ request: StartPushRequest, allowsHTTP: Bool, in address: SessionKey
    ) async throws(SignalingError) -> PushID {
        try checkTenure()
        return try await (try liveSession(at: address)).startPush(request, allowsHTTP: allowsHTTP)
    }

    package func stopPush(_ id: PushID, in address: SessionKey) async throws(SignalingError) {
        try checkTenure()
        try await (try liveSession(at: address)).stopPush(id)
    }

    package func announceDrain(seconds: Int, url: String?) async {
        beginDraining()
        let event = Draining(seconds: seconds, url: url)
        for liveSession in all { await liveSession.turn { $0.announceDrain(event) } }
    }

    package func endAll() async {
        beginDraining()
        await withTaskGroup(of: Void.self) { group in
            for liveSession in all { group.addTask { await liveSession.endWithRelay() } }
        }
        await environment.pushes.ended()
    }

    package func gauges() async -> SessionGauges {
        var gauges = SessionGauges()
        for liveSession in all {
            gauges.sessions += 1
            gauges.users.merge(await liveSession.read { $0.userCounts }, uniquingKeysWith: +)
            gauges.streams += await liveSession.read { $0.conference.streamCount }
            gauges.dropped += await liveSession.read { $0.droppedCount }
            gauges.peers += await liveSession.read { $0.visitingPeerCount }
        }
        let counts = statistics.values.connect
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
