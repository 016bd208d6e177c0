import Cluster
import Conference
import Logging
import MediaBase
import MediaEngine
import Messaging
import SessionMedia
import Signaling

/// Live session: carries out what its rules (`Conference`) and its media (`SessionMedia`) decide, on its clients' sockets and in the media
/// engine. All work of the session runs on this actor. State that needs neither the rules nor the other parts is in types of their own, which
/// docs/architecture.md lists; this actor calls them and starts all tasks of the session but those of its links and alarm.
actor LiveSession {
    nonisolated let id: SessionID
    nonisolated let key: SessionKey
    /// Name of the session in the media engine.
    nonisolated let engineName: String
    nonisolated let environment: LiveSessionEnvironment
    nonisolated let logger: Logger
    nonisolated let inbox = LiveSessionInbox()

    // Rules and media.
    var conference: Conference
    var media: SessionMedia
    /// Media of the session over the relays of the cluster.
    var clusterMedia = ClusterMedia()
    lazy var links = MediaLinks(
        of: key, id, environment, logger: logger,
        MediaLinks.Handlers { [weak self] reply, edge in
            await self?.received(reply, from: edge)
        } lost: { [weak self] edge, reason in
            await self?.linkLost(edge, reason)
        })
    var requests = MediaRequests()
    /// Whether `continueMedia` is under way: outputs that its calls cause follow in its own loop.
    var isTakingOutputs = false

    // Clients.
    let clients: ClientOutboxes
    /// Clients without a control connection that are being admitted.
    var visits: [MediaRequestID: Visit] = [:]
    var leases: TransportLeaseTable
    var joinAnswers = JoinAnswerTexts()
    private var isDroppingSlow = false

    // Outside of the session.
    /// Pushes of streams of the session to other servers.
    var pushes = SessionPushes()
    private var journal: SessionJournal
    private let crashNotes: SessionCrashNotes
    /// State that another relay needs to take the session over; nil without a cluster.
    private(set) var saver: SessionSaver?
    private lazy var alarm = SessionAlarm { [weak self] in await self?.alarmRang() }

    /// Whether the session was given up because no one is in it; its name gets a new one.
    private(set) var isForgotten = false
    /// Whether another relay runs the session, or will.
    var isAbandoned = false

    /// - Parameter restored: the session of a lost home relay; nil for a new session.
    init(
        _ conference: Conference, key: SessionKey, environment: LiveSessionEnvironment,
        restored: RestoredSession? = nil
    ) {
        id = conference.id
        self.key = key
        engineName = key.engineName(standard: environment.configuration.standardApp)
        crashNotes = SessionCrashNotes(engineName: engineName)
        journal = SessionJournal(session: engineName, writer: environment.journal)
        self.environment = environment
        leases = TransportLeaseTable(environment.resources)
        var logger = environment.logger
        logger[metadataKey: "session"] = "\(key)"
        self.logger = logger
        clients = ClientOutboxes(environment.statistics, logger: logger)
        self.conference = conference
        media = SessionMedia(
            maximumSubscriptions: conference.limits.subscriptions, random: SystemRandomNumberGenerator())
        if let cluster = environment.cluster {
            self.conference.recordsSeatChanges = true
            let stored = restored.map { StateSaver(stored: $0.stored, tenure: $0.tenure) } ?? StateSaver()
            saver = SessionSaver(id, in: cluster, stored, logger: logger)
        }
        for client in restored?.clients ?? [] {
            clients.add(LiveConnection(restored: client, environment))
            media.join(client.id)
        }
        // Last, because the initializer cannot use the actor's state once a closure has it.
        clients.onDrained = { [weak self] id, socket in Task { await self?.drained(id, socket) } }
    }

    // MARK: effects

    /// Carries out the effects that `Conference` returns, in their order.
    func perform(_ effects: [Effect]) {
        for effect in effects {
            crashNotes.note(effect)
            switch effect {
            case .send(let id, let event):
                journal.note(event, in: conference)
                clients.append(event, to: CollectionOfOne(id))
            case .broadcast(let audience, let event):
                journal.note(event, in: conference)
                clients.append(event, to: audience)
            case .close(let id, let reason): close(id, reason)
            case .media(let command):
                media.command(command)
                carryOutOrders()
            case .push(let command): carryOut(command)
            case .hook(let hook):
                guard !isAbandoned else { break }
                environment.hooks.post(
                    WebhookEvent(hook, session: key, sessionID: id, time: ControlClock.wall))
            case .ended(let reason): ended(reason)
            }
        }
        journal.noteSubsessions(of: conference)
        clients.flush()
        dropSlow()
        continueMedia()
        noteState()
    }

    /// Sends a client an event that does not come from `Conference`.
    func tell(_ id: ConnectionID, _ event: Event) {
        clients.append(event, to: CollectionOfOne(id))
        clients.flush()
        dropSlow()
    }

    private func drained(_ id: ConnectionID, _ socket: any ClientChannel) { clients.drained(id, socket) }

    /// Disconnects clients that do not read their messages. The effects of a disconnect may fill another outbox, so rounds follow one
    /// another and never nest.
    private func dropSlow() {
        guard !isDroppingSlow else { return }
        isDroppingSlow = true
        defer { isDroppingSlow = false }
        while true {
            let leaving = clients.takeSlow()
            guard !leaving.isEmpty else { return }
            for id in leaving {
                environment.statistics.queueOverflowed()
                logger.notice("client does not read its messages", metadata: ["connection": "\(id)"])
                close(id, .slowConsumer)
            }
            for id in leaving { perform(conference.disconnect(id, reason: .slowConsumer, now: ControlClock.now)) }
        }
    }

    /// Ends a client's connection and its media at once.
    private func close(_ id: ConnectionID, _ reason: DisconnectReason) {
        guard let client = clients.remove(id) else { return }
        client.release()
        environment.onLeave(client.resumeKey)
        environment.statistics.disconnected(reason)
        logger.info("client left", metadata: ["connection": "\(id)", "reason": "\(reason.rawValue)"])
        media.leave(id)
        carryOutOrders()
        clients.close(client, reason)
    }

    private func ended(_ reason: DisconnectReason) {
        alarm.set(.never)
        saver?.end()
        saver = nil
        closeLinks()
        logger.info("session ended", metadata: ["reason": "\(reason.rawValue)"])
        environment.onEnd(id, isAbandoned)
    }

    /// Gives the session up after a failed join if no one is in it.
    func forgetIfVacant() {
        guard conference.isForgettable, !isForgotten else { return }
        isForgotten = true
        closeLinks()
        environment.onEnd(id, false)
    }

    /// Returns the user whose conversations a connection may read; nil without an identity.
    func messagingUser(of id: ConnectionID) -> UserKey? {
        guard let identity = conference.user(id)?.identity else { return nil }
        return UserKey(app: key.app, id: identity)
    }

    // MARK: time

    func rearm() {
        alarm.set(
            min(conference.deadline, media.deadline, clusterMedia.deadline, saver?.deadline ?? .never))
    }

    private func alarmRang() {
        alarm.rang()
        media.handleTimeout(now: ControlClock.now)
        clusterMedia.handleTimeout(now: ControlClock.now)
        carryOutCalls()
        saver?.look()
        save()
        perform(conference.handleTimeout(now: ControlClock.now))
    }
}
