package import MediaEngine
internal import MediaBase
package import Signaling

/// The sessions of a media engine alone: streams that came by WHIP or plain SRTP, and no users.
package struct EngineSessions: SessionsDoor {
    let engine: MediaEngine
    /// The default app.
    let standard: String

    package init(engine: MediaEngine, standard: String) {
        self.engine = engine
        self.standard = standard
    }

    package func sessions(app: String?, after: SessionAddress?, limit: Int) async -> [SessionOverview] {
        let all = await engine.sessions().compactMap { snapshot -> (SessionAddress, SessionOverview)? in
            guard let address = SessionAddress(engineName: snapshot.name, standard: standard) else { return nil }
            return (address, Self.overview(snapshot, address))
        }
        let wanted = all.filter { address, _ in
            guard app == nil || address.app == app else { return false }
            guard let after else { return true }
            return after < address
        }
        return wanted.sorted { $0.0 < $1.0 }.prefix(limit).map(\.1)
    }

    package func session(_ address: SessionAddress) async throws(SignalingError) -> SessionOverview {
        let name = address.engineName(standard: standard)
        guard let snapshot = await engine.sessions().first(where: { $0.name == name }) else {
            throw Self.unknown(address)
        }
        return Self.overview(snapshot, address)
    }

    package func participants(of address: SessionAddress) async throws(SignalingError) -> [UserInfo] {
        _ = try await session(address)
        return []
    }

    package func streams(of address: SessionAddress) async throws(SignalingError) -> [StreamInfo] {
        let snapshots: [StreamSnapshot]
        do throws(EngineError) {
            snapshots = try await engine.streams(session: address.engineName(standard: standard))
        } catch {
            throw SignalingError(Problem(error))
        }
        return snapshots.sorted { $0.createdAt < $1.createdAt }.map { snapshot in
            StreamInfo(
                id: StreamID(rawValue: snapshot.name), connection: ConnectionID(rawValue: snapshot.name),
                name: snapshot.name, hasAudio: snapshot.audio != nil, hasVideo: snapshot.video != nil,
                isAudioMuted: snapshot.audio?.muted ?? false, isVideoMuted: snapshot.video?.muted ?? false,
                width: snapshot.video?.width ?? 0, height: snapshot.video?.height ?? 0,
                createdAt: snapshot.createdAt / 1_000_000)
        }
    }

    package func create(_ address: SessionAddress, password: String?) async throws(SignalingError) -> SessionOverview {
        throw SignalingError(.notPermitted, "sessions begin with their first stream here")
    }

    package func setMuted(
        _ isMuted: Bool, stream: StreamID, kind: TrackKind, in address: SessionAddress
    ) async throws(SignalingError) {
        do throws(EngineError) {
            try await engine.setMuted(
                session: address.engineName(standard: standard), stream: stream.rawValue,
                kind: kind == .audio ? .audio : .video, muted: isMuted)
        } catch {
            throw SignalingError(Problem(error))
        }
    }

    package func mute(user: ConnectionID, kind: TrackKind, in address: SessionAddress) async throws(SignalingError) {
        _ = try await session(address)
        throw SignalingError(.unknownUser)
    }

    package func remove(user: ConnectionID, in address: SessionAddress) async throws(SignalingError) {
        _ = try await session(address)
        throw SignalingError(.unknownUser)
    }

    package func end(_ address: SessionAddress) async throws(SignalingError) {
        _ = try await session(address)
        throw SignalingError(.notPermitted, "the session ends with its last transport")
    }

    package func announceDrain(seconds: Int, url: String?) async {}
    package func endAll() async {}

    package func gauges() async -> SessionGauges {
        let sessions = await engine.sessions()
        var gauges = SessionGauges()
        gauges.sessions = sessions.count
        gauges.streams = sessions.reduce(0) { $0 + $1.streams }
        return gauges
    }

    private static func overview(_ snapshot: SessionSnapshot, _ address: SessionAddress) -> SessionOverview {
        SessionOverview(
            app: address.app, name: address.name.rawValue, participants: 0, streams: snapshot.streams)
    }

    private static func unknown(_ address: SessionAddress) -> SignalingError {
        SignalingError(.unknownSession, "there is no session \"\(address.name)\"")
    }
}
