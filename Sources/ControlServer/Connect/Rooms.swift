internal import Conference
package import Logging
internal import MediaBase
package import MediaEngine
internal import NIOConcurrencyHelpers
internal import Signaling

/// All sessions of a relay: finds the one that somebody wants into, and hands out what the media engine tells.
package final class Rooms: Sendable {
    private struct State {
        var directory: SessionDirectory<Room>
        var passwords: PasswordLimiter
        var router: Task<Void, Never>?
    }

    /// A room may end between its being found and its being entered; another then takes its name.
    private static let attempts = 8

    let configuration: ConnectConfiguration
    let verifier: any TokenVerifier
    let environment: RoomEnvironment
    private let state: NIOLockedValueBox<State>

    package init(
        engine: MediaEngine, verifier: any TokenVerifier, issues: any IssueStore, hooks: any WebhookSink,
        configuration: ConnectConfiguration, iceServers: [ICEServer], statistics: ControlStatistics, logger: Logger
    ) {
        self.configuration = configuration
        self.verifier = verifier
        let state = NIOLockedValueBox(
            State(
                directory: SessionDirectory(limits: configuration.directory),
                passwords: PasswordLimiter(perMinute: configuration.wrongPasswordsPerMinute)))
        self.state = state
        environment = RoomEnvironment(
            engine: engine, configuration: configuration, statistics: statistics,
            iceServers: iceServers.map(ICEServerInfo.init), issues: issues, hooks: hooks, logger: logger,
            onEnd: { id in state.withLockedValue { $0.directory.remove(id) } },
            onLeave: { token in state.withLockedValue { $0.directory.unseat(resumeToken: token) } })
        let events = engine.observeStreams()
        let router = Task { [weak self] in
            for await event in events { await self?.route(event) }
        }
        state.withLockedValue { $0.router = router }
    }

    deinit { state.withLockedValue { $0.router?.cancel() } }

    /// Each event to the session that it is about.
    private func route(_ event: StreamEvent) async {
        guard let key = SessionKey(engineName: event.session), let room = room(key) else { return }
        await room.heard(event)
    }

    private func locked<R>(_ body: (inout State) throws(SignalingError) -> R) throws(SignalingError) -> R {
        let result = state.withLockedValue { state -> Result<R, SignalingError> in
            do throws(SignalingError) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    func room(_ key: SessionKey) -> Room? { state.withLockedValue { $0.directory[key]?.room } }

    var all: [Room] { state.withLockedValue { $0.directory.entries.map(\.room) } }

    var count: Int { state.withLockedValue { $0.directory.count } }

    /// The app's key as the rules know it.
    func ruleApp(_ app: String) -> String { app == configuration.standardApp ? SessionKey.defaultApp : app }

    /// No session begins any more and nobody joins.
    package func beginDraining() { state.withLockedValue { $0.directory.isDraining = true } }

    // MARK: entering

    /// The room of that name, made if need be.
    ///
    /// - Parameter reservation: of a room that is made, and waits for its first join.
    func enter(
        _ key: SessionKey, reservation: Reservation? = nil
    ) throws(SignalingError) -> SessionDirectory<Room>.Entry {
        let known = try locked { state throws(SignalingError) in
            if state.directory.isDraining { throw SignalingError(.draining) }
            return state.directory[key]
        }
        if let known { return known }
        let id = SessionID(rawValue: Secret.id())
        let conference = try Conference(
            id: id, app: environment.app(of: key), name: key.name, limits: configuration.conference,
            reservation: reservation, now: ControlClock.now, wallClock: ControlClock.wall)
        let room = Room(conference, key: key, environment: environment)
        return try locked { state throws(SignalingError) in
            try state.directory.enter(key, newID: id) { _ in room }
        }
    }

    /// Lets a client with a verified token in. On success the room has answered it.
    func join(
        _ request: JoinRequest, _ token: VerifiedToken, address: String, _ arrival: Arrival
    ) async throws(SignalingError) -> (Room, ConnectionID) {
        let key = try SessionKey(app: ruleApp(token.app), name: request.session)
        let now = ControlClock.now
        try locked { state throws(SignalingError) in
            try state.passwords.check(address: address, session: key, now: now)
        }
        let admission = Admission(
            connection: ConnectionID(rawValue: Secret.id()), resumeToken: Secret.token(), name: request.name,
            identity: token.identity, data: token.data, capabilities: token.capabilities,
            token: TokenFingerprint(rawValue: token.fingerprint), password: request.password)
        for _ in 0..<Self.attempts {
            let entry = try enter(key)
            do {
                try locked { state throws(SignalingError) in
                    try state.directory.seat(admission.connection, in: entry, resumeToken: admission.resumeToken)
                }
            } catch {
                await entry.room.forgetIfVacant()
                throw error
            }
            switch await entry.room.join(admission, arrival) {
            case .success: return (entry.room, admission.connection)
            case .failure(let error):
                state.withLockedValue { $0.directory.unseat(resumeToken: admission.resumeToken) }
                if error.code == .sessionEnded { continue }
                if error.code == .passwordWrong {
                    state.withLockedValue { $0.passwords.recordWrong(address: address, session: key, now: now) }
                }
                throw error
            }
        }
        throw SignalingError(.sessionEnded)
    }

    /// Takes a lost connection up again. On success the room has answered the client.
    func resume(_ request: ResumeRequest, _ arrival: Arrival) async throws(SignalingError) -> (Room, ConnectionID) {
        let (room, id) = try locked { state throws(SignalingError) in
            let seat = try state.directory.seat(resumeToken: request.resumeToken)
            guard let entry = state.directory[seat.session] else { throw SignalingError(.resumeExpired) }
            return (entry.room, seat.connection)
        }
        try await room.resume(id, lastEvent: request.lastEvent, arrival).get()
        return (room, id)
    }

    /// Lets a publisher without signalling in; of the default app where no token says otherwise.
    func admitPublisher(
        session: SessionName, stream: StreamName?, kinds: Set<MediaKind>, isPlain: Bool, token: VerifiedToken? = nil
    ) async throws(SignalingError) -> PublisherTicket {
        let app = token.map { ruleApp($0.app) } ?? SessionKey.defaultApp
        let key = try SessionKey(app: app, name: session.rawValue)
        for _ in 0..<Self.attempts {
            let result = await (try enter(key)).room.admitPublisher(
                stream?.rawValue, kinds: kinds, isPlain: isPlain, token: token)
            switch result {
            case .success(let ticket): return ticket
            case .failure(let error) where error.code == .sessionEnded: continue
            case .failure(let error): throw error
            }
        }
        throw SignalingError(.sessionEnded)
    }

    /// A publisher's own door has closed it.
    func publisherClosed(_ transport: TransportID, engineName: String) async {
        guard let key = SessionKey(engineName: engineName) else { return }
        await room(key)?.publisherClosed(transport)
    }

    /// Mutes a stream of the default app as an operator.
    ///
    /// - Returns: false where the session's rules know no such stream.
    func setMuted(
        _ isMuted: Bool, _ stream: StreamName, _ kind: MediaKind, in session: SessionName
    ) async throws(SignalingError) -> Bool {
        let id = StreamID(rawValue: stream.rawValue)
        guard let key = try? SessionKey(app: SessionKey.defaultApp, name: session.rawValue), let room = room(key),
            await room.streams.contains(where: { $0.id == id })
        else { return false }
        try await room.admin(.setMuted(id, TrackKind(kind), isMuted))
        await room.settle()
        return true
    }
}

extension SessionKey {
    /// - Parameter engineName: as `engineName` is; nil where it is not of a session of the rules.
    init?(engineName: String) {
        let parts = engineName.split(separator: "\u{1F}", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.last else { return nil }
        try? self.init(app: parts.count == 2 ? String(parts[0]) : SessionKey.defaultApp, name: String(name))
    }
}

extension StreamEvent {
    /// Engine's name of the session that it is about.
    var session: String {
        switch self {
        case .published(let session, _), .closed(let session, _), .trackPaused(let session, _, _, _),
            .trackResumed(let session, _, _, _), .mediaBegan(let session, _, _),
            .dimensions(let session, _, _, _), .peerGone(let session, _), .activeSpeaker(let session, _):
            session
        }
    }
}

extension ICEServerInfo {
    init(_ server: ICEServer) {
        self.init(urls: [server.url], username: server.username, credential: server.credential)
    }
}
