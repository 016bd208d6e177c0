import Cluster
import Conference
import Logging
import MediaBase
import MediaEngine
import Messaging
import NIOCore
import SessionMedia
import Signaling

/// Live session: carries out what its rules (`Conference`) and its media (`SessionMedia`) decide, on its clients' sockets and in the media
/// engine. All work of the session runs on this actor.
actor LiveSession {
    nonisolated let id: SessionID
    nonisolated let key: SessionKey
    /// Name of the session in the media engine.
    nonisolated let engineName: String
    nonisolated let environment: LiveSessionEnvironment
    nonisolated let logger: Logger
    nonisolated let inbox = LiveSessionInbox()
    private let crashNotes: SessionCrashNotes
    private var journal: SessionJournal

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
    var clients: [ConnectionID: LiveConnection] = [:]
    /// Clients without a control connection that are being admitted.
    var visits: [MediaRequestID: Visit] = [:]
    var leases: TransportLeaseTable
    var joinAnswers = JoinAnswerTexts()
    /// Pushes of streams of the session to other servers.
    var pushes = SessionPushes()
    /// Whether the session was given up because no one is in it; its name gets a new one.
    private(set) var isForgotten = false

    /// Clients whose outboxes have new events.
    private var touched: [ConnectionID] = []
    /// Clients whose outboxes are full.
    private var slow: Set<ConnectionID> = []
    private var isDroppingSlow = false
    private lazy var alarm = SessionAlarm { [weak self] in await self?.alarmRang() }
    var requests = MediaRequests()
    private var isDraining = false
    /// State that another relay needs to take the session over; nil without a cluster.
    private(set) var saver: SessionSaver?
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
        self.conference = conference
        media = SessionMedia(
            maximumSubscriptions: conference.limits.subscriptions, random: SystemRandomNumberGenerator())
        guard let cluster = environment.cluster else { return }
        self.conference.recordsSeatChanges = true
        let stored = restored.map { StateSaver(stored: $0.stored, tenure: $0.tenure) } ?? StateSaver()
        saver = SessionSaver(id, in: cluster, stored, logger: logger)
        guard let restored else { return }
        for client in restored.clients {
            clients[client.id] = LiveConnection(restored: client, environment)
            media.join(client.id)
        }
    }

    // MARK: effects

    /// Carries out the effects that `Conference` returns, in their order.
    func perform(_ effects: [Effect]) {
        for effect in effects {
            crashNotes.note(effect)
            switch effect {
            case .send(let id, let event):
                journal.note(event, in: conference)
                if let text = text(of: event) { append(text, to: id) }
            case .broadcast(let audience, let event):
                journal.note(event, in: conference)
                guard let text = text(of: event) else { continue }
                for id in audience { append(text, to: id) }
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
        flush()
        dropSlow()
        continueMedia()
        noteState()
    }

    /// Carries out what `SessionMedia` has decided, until there is nothing left.
    func continueMedia() {
        carryOutOrders()
        carryOutCalls()
        guard !isDraining else { return }
        isDraining = true
        defer {
            isDraining = false
            rearm()
        }
        while true {
            let outputs = media.takeOutputs(now: ControlClock.now)
            if outputs.isEmpty, !media.hasOrders { return }
            // Orders that are refused at once have outputs of their own.
            carryOutOrders()
            for output in outputs { carryOut(output) }
        }
    }

    /// Sends a client an event that does not come from `Conference`.
    func tell(_ id: ConnectionID, _ event: Event) {
        guard let text = text(of: event) else { return }
        append(text, to: id)
        flush()
        dropSlow()
    }

    /// Encodes an event. An event that cannot be encoded is dropped for all clients, so that none of them sees a gap in the numbers.
    private func text(of event: Event) -> EventText? {
        if let text = EventText(event) { return text }
        environment.statistics.refused(.internalError)
        logger.error("cannot encode an event", metadata: ["event": "\(event.name.rawValue)"])
        return nil
    }

    private func append(_ text: EventText, to id: ConnectionID) {
        guard let client = clients[id] else { return }
        do {
            try client.append(text)
            touched.append(id)
        } catch {
            slow.insert(id)
        }
    }

    private func flush() {
        for id in touched {
            if let client = clients[id] { write(client) }
        }
        touched = []
    }

    /// Passes events to the socket while it has space; the socket calls back for the rest.
    func write(_ client: LiveConnection) {
        guard let socket = client.socket, !client.isHeld else { return }
        var space = socket.space
        var texts: [ByteBuffer] = []
        while space.messages > 0, space.bytes > 0, let item = client.outbox.next() {
            let text = item.payload.message(item.seq)
            space.messages -= 1
            space.bytes -= text.readableBytes
            texts.append(text)
        }
        client.settleQueue()
        environment.statistics.messagesSent(texts.count)
        socket.send(texts)
        guard client.outbox.unsentCount > 0 else { return }
        socket.whenDrained { [weak self, id = client.id] in
            Task { await self?.drained(id, socket) }
        }
    }

    /// Sends the events that were held back until the answer was sent.
    func release(_ client: LiveConnection) {
        guard client.isHeld else { return }
        client.isHeld = false
        write(client)
    }

    private func drained(_ id: ConnectionID, _ socket: any ClientChannel) {
        guard let client = clients[id], client.socket === socket else { return }
        write(client)
    }

    /// Disconnects clients that do not read their messages. The effects of a disconnect may fill another outbox, so rounds follow one
    /// another and never nest.
    private func dropSlow() {
        guard !isDroppingSlow else { return }
        isDroppingSlow = true
        defer { isDroppingSlow = false }
        while !slow.isEmpty {
            let leaving = slow.filter { clients[$0] != nil }
            slow = []
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
        guard let client = clients.removeValue(forKey: id) else { return }
        client.release()
        environment.onLeave(client.resumeKey)
        environment.statistics.disconnected(reason)
        logger.info("client left", metadata: ["connection": "\(id)", "reason": "\(reason.rawValue)"])
        media.leave(id)
        carryOutOrders()
        guard let socket = client.socket else { return }
        client.socket = nil
        var texts: [ByteBuffer] = []
        if reason == .slowConsumer {
            // The client does not get its unread events; the number shows the gap.
            if let event = text(of: .disconnected(Disconnected(reason: reason))) {
                texts.append(event.message(client.outbox.lastSeq + 1))
            }
        } else {
            // The last event may still be in the outbox.
            while let item = client.outbox.next() { texts.append(item.payload.message(item.seq)) }
        }
        environment.statistics.messagesSent(texts.count)
        socket.send(texts)
        socket.close(reason.closeCode, reason.rawValue)
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
