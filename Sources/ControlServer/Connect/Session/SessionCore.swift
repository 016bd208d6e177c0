import Cluster
import Conference
import Logging
import MediaBase
import Messaging
import SessionMedia
import Signaling

/// State of one session without IO: its rules (`Conference`), its media (`SessionMedia`, `ClusterMedia`), its clients with their queues of events, and
/// the requests that wait for an answer.
///
/// The caller sets `time` before each call, and carries out `takeOutputs` after it. Results of outputs come back by calls. A request
/// whose answer takes longer has a completion `then`, which is called once.
///
/// ```swift
/// core.time = SessionTime(now: now, wall: wall)
/// core.request(message, from: id, socket) { isOpen in … }
/// for output in core.takeOutputs() { … }        // until there are none
/// alarm.set(core.deadline)                      // then core.handleTimeout()
/// ```
final class SessionCore {
    let id: SessionID
    let key: SessionKey
    /// Name of the session in the media engine.
    let engineName: String
    let context: SessionContext
    let logger: Logger
    /// Time of the current call.
    var time: SessionTime
    private var outputs: [SessionOutput] = []

    // Rules and media.
    var conference: Conference
    var media: SessionMedia
    /// Media of the session over the relays of the cluster.
    var clusterMedia = ClusterMedia()
    var edges = SessionEdges()
    var questions = MediaQuestions()
    var requests = MediaRequests()
    var reconciling = Reconciling()
    var takeOver: SessionTakeOver
    /// Whether `continueMedia` is under way: outputs that its calls cause follow in its own loop.
    var isTakingOutputs = false

    // Clients.
    let clients: ClientOutboxes
    /// Clients without a control connection that are being admitted.
    var visits: [MediaRequestID: Visit] = [:]
    var leases: TransportLeaseTable
    var joinAnswers = JoinAnswerTexts()
    var issues = OpenIssues()
    private var isDroppingSlow = false

    // Outside of the session.
    private var journal: SessionJournal
    private let crashNotes: SessionCrashNotes
    /// State that another relay needs to take the session over; nil without a cluster.
    private(set) var saver: SessionSaver?

    /// Whether the session was given up because no one is in it; its name gets a new one.
    private(set) var isForgotten = false
    /// Whether another relay runs the session, or will.
    var isAbandoned = false

    /// - Parameters:
    ///   - restored: the session of a lost home relay; nil for a new session.
    ///   - random: seeded in tests only.
    init(
        _ conference: Conference, key: SessionKey, context: SessionContext, time: SessionTime, logger: Logger,
        restored: RestoredSession? = nil,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        id = conference.id
        self.key = key
        engineName = key.engineName(standard: context.configuration.standardApp)
        crashNotes = SessionCrashNotes(engineName: engineName)
        journal = SessionJournal(session: engineName, writer: context.journal)
        self.context = context
        self.time = time
        self.logger = logger
        leases = TransportLeaseTable(context.resources)
        takeOver = SessionTakeOver(isUnderWay: restored != nil)
        clients = ClientOutboxes(context.statistics, logger: logger)
        self.conference = conference
        media = SessionMedia(maximumSubscriptions: conference.limits.subscriptions, random: random)
        if let cluster = context.cluster {
            self.conference.recordsSeatChanges = true
            media.savesSubscribers = true
            let stored = restored.map { StateSaver(stored: $0.stored, tenure: $0.tenure) } ?? StateSaver()
            saver = SessionSaver(id, in: cluster, stored, logger: logger)
        }
        for client in restored?.clients ?? [] {
            clients.add(LiveConnection(restored: client, context))
            media.join(client.id)
            // It publishes and subscribes again in its subsession.
            media.relocate([client.id], to: conference.location(of: client.id))
        }
    }

    // MARK: outputs

    func emit(_ output: SessionOutput) { outputs.append(output) }

    /// Returns the outputs since the last call, in their order.
    func takeOutputs() -> [SessionOutput] {
        defer { outputs = [] }
        return outputs
    }

    // MARK: effects

    /// Carries out the effects that `Conference` returns, in their order.
    func perform(_ effects: [Effect]) {
        for effect in effects {
            crashNotes.note(effect)
            // The relay that runs an abandoned session writes its journal.
            if !isAbandoned { journal.note(effect, in: conference, at: time.wall) }
            switch effect {
            case .send(let id, let event): clients.append(event, to: CollectionOfOne(id))
            case .broadcast(let audience, let event): clients.append(event, to: audience)
            case .close(let id, let reason): close(id, reason)
            case .media(let command):
                media.command(command)
                carryOutOrders()
            case .push(let command): emit(.push(command))
            case .hook(let hook):
                guard !isAbandoned else { break }
                emit(.hook(WebhookEvent(hook, session: key, sessionID: id, time: time.wall)))
            case .ended(let reason): ended(reason)
            }
        }
        journal.noteState(of: conference, at: time.wall)
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
                context.statistics.queueOverflowed()
                logger.notice("client does not read its messages", metadata: ["connection": "\(id)"])
                close(id, .slowConsumer)
            }
            for id in leaving { perform(conference.disconnect(id, reason: .slowConsumer, now: time.now)) }
        }
    }

    /// Ends a client's connection and its media at once.
    private func close(_ id: ConnectionID, _ reason: DisconnectReason) {
        guard let client = clients.remove(id) else { return }
        client.release()
        emit(.left(resumeKey: client.resumeKey))
        context.statistics.disconnected(reason)
        logger.info("client left", metadata: ["connection": "\(id)", "reason": "\(reason.rawValue)"])
        media.leave(id)
        carryOutOrders()
        clients.close(client, reason)
    }

    private func ended(_ reason: DisconnectReason) {
        closeLinks()
        logger.info("session ended", metadata: ["reason": "\(reason.rawValue)"])
        emit(.ended(isElsewhere: isAbandoned))
        let refusing = saver
        saver = nil
        refusing?.end()
        endTakeOver()
    }

    /// Gives the session up after a failed join if no one is in it.
    func forgetIfVacant() {
        guard conference.isForgettable, !isForgotten else { return }
        isForgotten = true
        closeLinks()
        emit(.ended(isElsewhere: false))
        endTakeOver()
    }

    // MARK: time

    /// Time of the next `handleTimeout`; `never` if there is none.
    var deadline: MediaTime {
        min(
            conference.deadline, media.deadline, clusterMedia.deadline, saver?.deadline ?? .never, questions.deadline,
            reconciling.deadline, takeOver.deadline)
    }

    func handleTimeout() {
        media.handleTimeout(now: time.now)
        clusterMedia.handleTimeout(now: time.now)
        carryOutCalls()
        for fail in questions.takeExpired(now: time.now) { fail(.failure(.stopped)) }
        saver?.look(now: time.now)
        save()
        reconcileIfDue()
        lookAtTakeOver()
        perform(conference.handleTimeout(now: time.now))
    }
}
