import Cluster
package import ClusterLink
import Conference
package import Logging
import MediaBase
package import MediaEngine
import NIOConcurrencyHelpers
package import Recording
import SessionMedia
import Signaling

/// All sessions of a relay. Finds or creates the session of a request, and distributes the media engine's events.
package final class LiveSessions: Sendable {
    private struct State {
        var directory: SessionDirectory<LiveSession>
        var router: Task<Void, Never>?
    }

    /// Maximum number of tries to enter a session. A session may end between lookup and entry; a new one then takes its name.
    static let attempts = 8

    let verifier: any TokenVerifier
    let environment: LiveSessionEnvironment
    /// Placement of sessions; nil: this relay is not in a cluster.
    let cluster: ClusterNode?
    /// Media of sessions whose rules other relays run.
    let edgeMedia = EdgeMediaTable()
    /// Programmes of the sessions, for readers over HTTP and for pushes.
    let programmes: Programmes
    private let state: NIOLockedValueBox<State>

    /// - Parameters:
    ///   - engine: media of the clients.
    ///   - taps: engine that has the packets of streams that are pushed to other servers.
    ///   - caller: opens links to the relays of clients that are connected to other relays; nil: their media opens here.
    ///   - journal: writes chat, joins, leaves and moves beside recordings; nil: they are not recorded.
    ///   - limits: limits of programmes.
    ///   - events: events of `engine`; nil: observes it from now on.
    package init(
        engine: any MediaPlane, taps: MediaEngine, verifier: any TokenVerifier, issues: any IssueStore,
        hooks: any WebhookSink,
        configuration: ConnectConfiguration, iceServers: [ICEServer], statistics: ControlStatistics, logger: Logger,
        cluster: ClusterNode? = nil, caller: LinkCaller? = nil, journal: JournalWriter? = nil,
        programmes limits: ProgrammeLimits, events: AsyncStream<StreamEvent>? = nil
    ) {
        self.verifier = verifier
        self.cluster = cluster
        programmes = Programmes(engine: taps, limits: limits)
        let state = NIOLockedValueBox(State(directory: SessionDirectory(limits: configuration.directory)))
        self.state = state
        let context = SessionContext(
            shared: NIOLockedValueBox(configuration), statistics: statistics,
            iceServers: iceServers.map(ICEServerInfo.init),
            passwords: PasswordGuard(perMinute: configuration.wrongPasswordsPerMinute),
            reports: ReportGuard(interval: configuration.issueInterval), journal: journal,
            resources: ResourceAccounts(limits: configuration.resources),
            cluster: cluster.map { SessionContext.Cluster($0, opensLinks: caller != nil) })
        environment = LiveSessionEnvironment(
            context: context, engine: engine, issues: issues, hooks: hooks,
            pushes: RelayPushes(rules: configuration.pushes, engine: taps, programmes: programmes), logger: logger,
            cluster: cluster, caller: caller,
            onEnd: { id, isElsewhere in
                state.withLockedValue { $0.directory.remove(id) }
                if !isElsewhere { cluster?.ended(id) }
            },
            onLeave: { key in state.withLockedValue { $0.directory.unseat(resumeKey: key) } })
        let events = events ?? engine.observeStreams()
        let router = Task { [weak self] in
            for await event in events { self?.route(event) }
        }
        state.withLockedValue { $0.router = router }
    }

    var configuration: ConnectConfiguration { environment.context.configuration }
    var statistics: ControlStatistics { environment.context.statistics }

    /// Adopts new limits: those of sessions for new sessions, those of clients for new ones. The default app stays.
    package func adopt(_ configuration: ConnectConfiguration) {
        var configuration = configuration
        configuration.standardApp = self.configuration.standardApp
        environment.context.shared.withLockedValue { [configuration] in $0 = configuration }
        resources.adopt(configuration.resources)
    }

    deinit { state.withLockedValue { $0.router?.cancel() } }

    /// Passes an event to its session without waiting: a busy session cannot delay other sessions.
    private func route(_ event: StreamEvent) {
        guard let session = event.session else {
            for liveSession in all { liveSession.post(.missed(session: liveSession.engineName)) }
            return edgeMedia.post(event)
        }
        guard let liveSession = liveSession(engineName: session) else { return edgeMedia.post(event) }
        liveSession.post(event)
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

    func liveSession(_ key: SessionKey) -> LiveSession? { state.withLockedValue { $0.directory[key]?.liveSession } }

    func liveSession(_ id: SessionID) -> LiveSession? { state.withLockedValue { $0.directory[id]?.liveSession } }

    var all: [LiveSession] { state.withLockedValue { $0.directory.entries.map(\.liveSession) } }

    /// Resources that users, tokens and addresses hold.
    package var resources: ResourceAccounts { environment.context.resources }

    var count: Int { state.withLockedValue { $0.directory.count } }

    /// Refuses new sessions and joins from now on.
    package func beginDraining() { state.withLockedValue { $0.directory.isDraining = true } }

    // MARK: entering

    /// Returns the session of that name; creates it if it does not exist.
    ///
    /// - Parameter reservation: for a new session, which waits for its first join.
    func enter(
        _ key: SessionKey, reservation: Reservation? = nil
    ) async throws(SignalingError) -> SessionDirectory<LiveSession>.Entry {
        let id = try await sessionID(for: key)
        let known = try locked { state throws(SignalingError) in
            if state.directory.isDraining { throw SignalingError(.draining) }
            return state.directory[key]
        }
        if let known {
            // A session that another relay has taken over ends here at this moment.
            guard cluster == nil || known.id == id else { throw Self.unavailable }
            cluster?.opened(id)
            return known
        }
        let restored = try await restored(id, key)
        let conference =
            if let restored {
                restored.conference
            } else {
                try Conference(
                    id: id, app: key.app, name: key.name, limits: configuration.conference,
                    reservation: reservation, now: ControlClock.now, wallClock: ControlClock.wall)
            }
        // The media that this relay had for a previous home relay continues with the session, or ends before a new session opens its own.
        var kept = edgeMedia.handOver(session: engineName(of: key))
        func endKept() {
            kept?.close(in: environment.engine, session: engineName(of: key))
            kept = nil
        }
        if restored == nil { endKept() }
        defer { endKept() }
        let liveSession = LiveSession(conference, key: key, environment: environment, restored: restored)
        let entry = try locked { state throws(SignalingError) in
            let entry = try state.directory.enter(key, newID: id) { _ in liveSession }
            // Another client may have restored the session at the same moment.
            guard let restored, entry.liveSession === liveSession else { return entry }
            for client in restored.clients {
                try? state.directory.seat(client.id, in: entry, resumeKey: client.saved.resumeKey)
            }
            return entry
        }
        // A link of a previous home relay may have begun in between.
        edgeMedia.end(session: engineName(of: key))
        cluster?.opened(entry.id)
        if restored != nil, entry.liveSession === liveSession {
            let inventory = kept
            kept = nil
            await liveSession.turn { $0.takeOver(inventory) }
        }
        return entry
    }

    /// Returns the id of a session that this relay runs, or may begin.
    /// - Throws: `misdirected` or `unavailable`, in a cluster.
    private func sessionID(for key: SessionKey) async throws(SignalingError) -> SessionID {
        let newID = SessionID(rawValue: Secret.id())
        guard let cluster else { return newID }
        switch await cluster.resolve(key, newID: newID, isProxied: true) {
        case .here(let id): return id
        case .there: throw SignalingError(.misdirected, retryAfter: 1)
        case .unavailable(let wait, let reason): throw Self.unavailable(reason, wait)
        case .unknown: throw Self.unavailable
        }
    }

    private static var unavailable: SignalingError { SignalingError(.unavailable, retryAfter: 1) }

    /// Returns the error for a session whose home relay cannot be named.
    static func unavailable(_ reason: Resolution.Unavailability, _ wait: MediaTime) -> SignalingError {
        SignalingError(
            .unavailable, reason.text, retryAfter: max(1, Int(wait.seconds.rounded(.up))))
    }

    /// Admits a client with a verified token. On success the session has answered it.
    func join(
        _ request: JoinRequest, _ token: VerifiedToken, _ arrival: Arrival
    ) async throws(SignalingError) -> (LiveSession, ConnectionID) {
        let key = try SessionKey(app: token.app, name: request.session)
        var admission = Admission(
            connection: ConnectionID(rawValue: Secret.id()), name: request.name,
            identity: token.identity, data: token.data, capabilities: token.capabilities,
            token: TokenFingerprint(rawValue: token.fingerprint), password: request.password,
            media: request.media ?? JoinMedia(),
            requiresEncryption: request.requiresEncryption ?? false || token.requiresEncryption,
            e2eeKey: request.e2eeKey)
        let lease = try resources.lease(.participants, for: token.holder(address: arrival.address))
        for _ in 0..<Self.attempts {
            let entry = try await enter(key)
            admission.resumeToken = Secret.resumeToken(in: cluster == nil ? nil : entry.id)
            let resumeKey = Secret.key(ofResumeToken: admission.resumeToken)
            do {
                try locked { state throws(SignalingError) in
                    try state.directory.seat(admission.connection, in: entry, resumeKey: resumeKey)
                }
            } catch {
                await entry.liveSession.turn { $0.forgetIfVacant() }
                throw error
            }
            switch await entry.liveSession.join(admission, arrival, lease: lease) {
            case .success: return (entry.liveSession, admission.connection)
            case .failure(let error):
                state.withLockedValue { $0.directory.unseat(resumeKey: resumeKey) }
                if error.code == .sessionEnded { continue }
                throw error
            }
        }
        throw SignalingError(.sessionEnded)
    }

    /// Resumes a lost connection. On success the session has answered the client.
    func resume(_ request: ResumeRequest, _ arrival: Arrival) async throws(SignalingError) -> (
        LiveSession, ConnectionID
    ) {
        try checkTenure()
        var restored: LiveSession?
        if let cluster, let id = Secret.session(inResumeToken: request.resumeToken), liveSession(id) == nil,
            let key = cluster.key(of: id)
        {
            // This relay has taken the session over from a lost one.
            restored = try await enter(key).liveSession
        }
        let resumeKey = Secret.key(ofResumeToken: request.resumeToken)
        let liveSession: LiveSession
        let id: ConnectionID
        do throws(SignalingError) {
            (liveSession, id) = try locked { state throws(SignalingError) in
                let seat = try state.directory.seat(resumeKey: resumeKey)
                guard let entry = state.directory[seat.session] else { throw SignalingError(.resumeExpired) }
                return (entry.liveSession, seat.connection)
            }
        } catch {
            await restored?.turn { $0.forgetIfVacant() }
            throw error
        }
        try await liveSession.resume(id, request, arrival).get()
        return (liveSession, id)
    }

    /// Returns a key in the default app.
    func standardKey(_ session: SessionName) throws(Problem) -> SessionKey {
        try session.key(app: configuration.standardApp)
    }

    func engineName(of key: SessionKey) -> String { key.engineName(standard: configuration.standardApp) }

    func liveSession(engineName: String) -> LiveSession? {
        SessionKey(engineName: engineName, standard: configuration.standardApp).flatMap { liveSession($0) }
    }

    /// Asks another relay about a transport of a session that this relay runs.
    ///
    /// - Returns: nil if this relay has the transport, or no relay is known to have it.
    func askElsewhere(_ call: MediaCall, of transport: TransportID, engineName: String) async -> MediaCallResult? {
        guard cluster != nil else { return nil }
        return await liveSession(engineName: engineName)?.askElsewhere(of: PeerID(transport), call)
    }

    /// Removes a client without a control connection after its endpoint has closed its transport.
    func visitorLeft(_ transport: TransportID, engineName: String) async {
        await liveSession(engineName: engineName)?.visitorLeft(transport)
    }
}

extension ICEServerInfo {
    init(_ server: ICEServer) {
        self.init(urls: [server.url], username: server.username, credential: server.credential)
    }
}
