import Cluster
import Conference
import Logging
import MediaEngine
import Signaling

/// Live session: runs a `SessionCore`, one turn at a time. It gives the core the time, and carries out its outputs in the media engine, on the
/// links to other relays, in the cluster's store and in the relay.
actor LiveSession {
    nonisolated let id: SessionID
    nonisolated let key: SessionKey
    /// Name of the session in the media engine.
    nonisolated let engineName: String
    nonisolated let environment: LiveSessionEnvironment
    nonisolated let logger: Logger
    private nonisolated let inbox = LiveSessionInbox()

    private let core: SessionCore
    /// Pushes of streams of the session to other servers.
    var pushes = SessionPushes()
    private lazy var alarm = SessionAlarm { [weak self] in await self?.alarmRang() }
    private lazy var links = MediaLinks(
        of: key, id, environment, logger: logger,
        MediaLinks.Handlers { [weak self] reply, edge in
            await self?.turn { $0.received(reply, from: edge) }
        } lost: { [weak self] edge, reason in
            await self?.turn { $0.linkLost(edge, reason) }
        })

    /// - Parameter restored: the session of a lost home relay; nil for a new session.
    init(
        _ conference: Conference, key: SessionKey, environment: LiveSessionEnvironment,
        restored: RestoredSession? = nil
    ) {
        var logger = environment.logger
        logger[metadataKey: "session"] = "\(key)"
        let core = SessionCore(
            conference, key: key, context: environment.context, time: ControlClock.time, logger: logger,
            restored: restored)
        id = core.id
        self.key = key
        engineName = core.engineName
        self.environment = environment
        self.logger = logger
        self.core = core
        // Last, because the initializer cannot use the actor's state once a closure has it.
        core.clients.onDrained = { [weak self] id, socket in
            Task { await self?.turn { $0.clients.drained(id, socket) } }
        }
    }

    // MARK: turns

    /// Runs a turn of the core, and carries out its outputs before the caller gets the result.
    @discardableResult
    func turn<R>(_ body: (SessionCore) -> R) -> R {
        core.time = ControlClock.time
        let result = body(core)
        carryOutOutputs()
        return result
    }

    /// Runs a turn, and waits for the result that the core passes to the completion.
    func result<R: Sendable>(_ body: (SessionCore, _ then: @escaping (R) -> Void) -> Void) async -> R {
        await withCheckedContinuation { waiting in turn { body($0) { waiting.resume(returning: $0) } } }
    }

    /// Waits until clients may enter a session that this relay has just taken over.
    func takenOver() async {
        if core.takeOver.isUnderWay { await result { core, then in core.whenTakenOver { then(()) } } }
    }

    /// Returns state of the core.
    func read<R>(_ body: (SessionCore) -> R) -> R { body(core) }

    private func alarmRang() {
        alarm.rang()
        turn { $0.handleTimeout() }
    }

    /// Queues an event of the media engine without blocking; the session handles it in turn.
    nonisolated func post(_ event: StreamEvent) {
        let (isNews, missed) = inbox.post(event)
        if missed > 0 { environment.context.statistics.eventsMissed(missed) }
        if isNews { Task { await hear() } }
    }

    private func hear() {
        while let event = inbox.take() { turn { $0.heard(event, from: .home) } }
    }

    // MARK: outputs

    /// Carries out the outputs of the core, and those that this causes. Calls to this relay's engine that must not be overtaken are in its
    /// mailbox on return.
    private func carryOutOutputs() {
        while true {
            let outputs = core.takeOutputs()
            if outputs.isEmpty { break }
            for output in outputs { carryOut(output) }
        }
        alarm.set(core.deadline)
    }

    private func carryOut(_ output: SessionOutput) {
        switch output {
        case .call(let id, .home, let call): callEngine(id, call)
        case .call(let id, .edge(let edge), let call):
            if !links.send(id, call, to: edge) { core.linkLost(edge, "calls cannot be sent") }
        case .endLink(let edge): links.end(edge)
        case .dismiss(let edge): links.dismiss(edge)
        case .push(let command): carryOut(command)
        case .hook(let event): environment.hooks.post(event)
        case .save(let changes, let tenure):
            guard let cluster = environment.cluster else { break }
            Task { [id] in
                let result = await cluster.save(id, changes, under: tenure)
                turn { $0.saved(result) }
            }
        case .keepIssue(let issue, let head, let bundle):
            Task { [issues = environment.issues] in
                let result = await issues.result(of: head, bundle)
                turn { $0.kept(issue, result) }
            }
        case .left(let resumeKey): environment.onLeave(resumeKey)
        case .ended(let isElsewhere): environment.onEnd(id, isElsewhere)
        }
    }

    private func callEngine(_ id: MediaCallID, _ call: MediaCall) {
        if let begun = environment.engine.begin(call, session: engineName) {
            run(id) { () async throws(EngineError) in
                try await begun.finish()
                return .media(.done)
            }
        } else if case .order(.openVisitor(let request, let visitor)) = call {
            run(id) { [visit = core.visits[request]] () async throws(EngineError) in
                guard let visit else { throw .unknownTransport("") }
                return .media(try await visit.open(visitor.startsMuted))
            }
        } else {
            run(id) { [engine = environment.engine, engineName] () async throws(EngineError) in
                try await engine.carryOut(call, session: engineName)
            }
        }
    }

    private func run(
        _ id: MediaCallID, _ call: @escaping @Sendable () async throws(EngineError) -> MediaCallAnswer
    ) {
        Task {
            let result: MediaCallResult
            do throws(EngineError) {
                result = .success(try await call())
            } catch {
                result = .failure(error)
            }
            turn { $0.answered(id, result, by: .home) }
        }
    }
}

extension IssueStore {
    /// Keeps a report.
    /// - Returns: the id by which an operator finds it.
    fileprivate func result(of head: IssueHead, _ bundle: [UInt8]) async -> Result<String, SignalingError> {
        do throws(SignalingError) {
            return .success(try await keep(head, bundle: bundle))
        } catch {
            return .failure(error)
        }
    }
}
