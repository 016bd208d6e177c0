import CLinuxNet
import MediaBase

/// Posts control calls to the workers that run them. Calls are posted from any thread, and their results are passed on by the worker.
final class CallRouter: Sendable {
    typealias Body<R> = @Sendable (Worker, borrowing Quiesced) throws(EngineError) -> R

    let placement: SharedPlacement
    private let mailboxes: [Mailbox]
    private let limits: EngineLimits
    /// CPU use of a home worker from which on its sessions get parts on other workers, in thousandths of one core.
    private let spreadLoad: Int

    init(_ configuration: EngineConfiguration, placement: SharedPlacement, mailboxes: [Mailbox]) {
        self.placement = placement
        self.mailboxes = mailboxes
        limits = configuration.limits
        spreadLoad = configuration.spreadLoad
    }

    /// Posts a call.
    /// - Parameters:
    ///   - isUrgent: the call stops media; the mailbox accepts it when it refuses others.
    ///   - waitsForParts: the result is passed on when all parts of the session have applied the call.
    ///   - finish: takes the result, on any thread, once.
    func post<R: Sendable>(
        _ target: CallTarget, isUrgent: Bool = false, waitsForParts: Bool = false,
        now: MediaTime = MediaTime(rawValue: millrace_monotonic_ns()), _ body: @escaping Body<R>,
        _ finish: @escaping @Sendable (Result<R, EngineError>) -> Void
    ) {
        let session = target.session
        switch target {
        case .home:
            post(
                to: placement.worker(of: session), session: session, isUrgent: isUrgent, waitsForParts: waitsForParts,
                body, finish)
        case .transport(let id, _):
            let worker = id.worker.flatMap { mailboxes.indices.contains($0) ? $0 : nil }
            post(
                to: worker ?? placement.worker(of: session), session: session, isUrgent: isUrgent,
                waitsForParts: waitsForParts, body, finish)
        case .opening:
            guard let worker = placement.begin(session, now: now) else { return finish(.failure(sessionLimit)) }
            open(session, on: worker, body, finish)
        case .subscriber(_, let opens):
            switch placement.beginSubscriber(session, opens: opens, spreadLoad: spreadLoad, now: now) {
            case nil where opens: finish(.failure(sessionLimit))
            case nil: post(to: placement.worker(of: session), session: session, body, finish)
            case let workers? where workers.home == workers.worker: open(session, on: workers.home, body, finish)
            case let workers?: subscribe(to: session, workers, body, finish)
            }
        }
    }

    private var sessionLimit: EngineError { .limitReached(name: "sessions", limit: limits.sessions) }

    /// Posts a call to a worker.
    /// - Parameter session: session that the call is about; nil: none.
    func post<R: Sendable>(
        to worker: Int, session: String? = nil, isUrgent: Bool = false, waitsForParts: Bool = false,
        _ body: @escaping Body<R>, _ finish: @escaping @Sendable (Result<R, EngineError>) -> Void
    ) {
        let refusal = tryPost(to: worker, isUrgent) { worker in
            let result = worker.run(body, about: session)
            guard waitsForParts, let session, case .success = result else { return finish(result) }
            worker.whenPartsHaveApplied(session) { failure in finish(failure.map { .failure($0) } ?? result) }
        }
        if let refusal { finish(.failure(refusal)) }
    }

    /// Posts an item to every worker. Each worker runs it before the calls that are posted to it afterwards.
    /// - Throws: the reason if a worker accepts no more. The workers before it run the item.
    func postToAll(_ work: @escaping Mailbox.Work) throws(EngineError) {
        for worker in mailboxes.indices {
            if let refusal = tryPost(to: worker, true, work) { throw refusal }
        }
    }

    /// Posts a call that may open a session to the worker that `placement.begin` has chosen for it.
    private func open<R: Sendable>(
        _ session: String, on worker: Int, _ body: @escaping Body<R>,
        _ finish: @escaping @Sendable (Result<R, EngineError>) -> Void
    ) {
        let refusal = tryPost(to: worker, false) { worker in
            let result = worker.run(body, about: session)
            worker.endOpening(session)
            finish(result)
        }
        guard let refusal else { return }
        placement.abandon(session)
        finish(.failure(refusal))
    }

    /// Posts the call of a subscriber to a worker that has, or gets, another part of its session.
    private func subscribe<R: Sendable>(
        to session: String, _ workers: (home: Int, worker: Int), _ body: @escaping Body<R>,
        _ finish: @escaping @Sendable (Result<R, EngineError>) -> Void
    ) {
        let placement = placement
        let refusal = tryPost(to: workers.worker, false) { worker in
            worker.runInPart(of: session, home: workers.home) { worker, failure in
                let result = failure.map { .failure($0) } ?? worker.run(body, about: session)
                placement.abandon(session)
                if let part = worker.sessions[session] { worker.forgetIfEmpty(part) }
                finish(result)
            }
        }
        guard let refusal else { return }
        placement.abandon(session)
        finish(.failure(refusal))
    }

    /// - Returns: the reason if the worker accepts no more.
    private func tryPost(to worker: Int, _ isUrgent: Bool, _ work: @escaping Mailbox.Work) -> EngineError? {
        do throws(Mailbox.Refusal) {
            try mailboxes[worker].post(isUrgent: isUrgent, work)
            return nil
        } catch {
            switch error {
            case .full: return .limitReached(name: "mailbox", limit: limits.mailbox)
            case .closed: return .stopped
            }
        }
    }
}
