import MediaBase
import Signaling

/// What a messaging client does: logs in, keeps the store in step with the relay, sends what waits to be sent.
///
/// What the link tells is looked at one after another, each stored before the next: so an answer and the events around it are
/// taken in the order in which the relay made them.
actor MessagingCore {
    enum Purpose {
        case login
        case changes
        case outgoing(OutgoingMessage)
        case request(CheckedContinuation<Result<[UInt8], SignalingError>, Never>)
    }

    /// Changes that are asked for at a time.
    static let changesCount = 100

    let store: ConversationStore
    let board: MessagingBoard
    let configuration: MessagingConfiguration
    /// What the link is to do, in order: a command never overtakes one that was given before.
    private let commands: AsyncStream<LinkCommand>.Continuation
    private var name: String?
    /// Of the connection that the application wants; nil: of none.
    private var queue: NewsQueue?
    /// Whose news is being looked at; one queue at a time, so what a former connection told is over before the next one's first.
    private var looked: NewsQueue?
    private var looking: Task<Void, Never>?
    private var entering: CheckedContinuation<Result<Void, SessionError>, Never>?
    private var nextTicket: UInt64 = 0
    var purposes: [UInt64: Purpose] = [:]
    /// Logged in, and all that was missed is stored.
    var isInStep = false
    var sending: OutgoingMessage?
    var retry: Task<Void, Never>?

    init(
        link: any MessagingLink, store: ConversationStore, configuration: MessagingConfiguration,
        board: MessagingBoard
    ) {
        self.store = store
        self.configuration = configuration
        self.board = board
        let (given, commands) = AsyncStream.makeStream(of: LinkCommand.self)
        self.commands = commands
        Task {
            for await command in given { await command.run(on: link) }
        }
    }

    deinit { commands.finish() }

    // MARK: what the application wants

    func connect(name: String?) async throws(SessionError) {
        let status = board.snapshot.status
        guard status == .notConnected || status == .failed else { throw SessionError(.alreadyJoined) }
        self.name = name
        set(.connecting)
        let queue = NewsQueue(limit: configuration.newsLimit)
        self.queue = queue
        let former = looking
        looking = Task { [weak self] in
            await former?.value
            for await news in queue.reading {
                guard let self, await self.look(at: news, of: queue) else { return }
            }
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                entering = waiting
                commands.yield(.open(queue))
            }
        } onCancel: {
            Task { await self.leave(queue, nil) }
        }
        try result.get()
    }

    func disconnect() async {
        guard let queue else { return }
        let looking = looking
        await leave(queue, nil)
        // What was being stored is stored by then: the store can be another client's.
        await looking?.value
    }

    /// Ends one connection, and not another that was made meanwhile.
    /// - Parameter error: nil: the application wants it.
    private func leave(_ leaving: NewsQueue, _ error: SessionError?) async {
        guard queue === leaving else { return }
        await withCheckedContinuation { (closed: CheckedContinuation<Void, Never>) in
            _ = commands.yield(.close(closed))
        }
        guard queue === leaving else { return }
        end(error)
    }

    /// It cannot go on: the relay refused the user, or the store does not take anything.
    func failed(_ error: SessionError) async {
        guard let queue, !isOver else { return }
        await leave(queue, error)
    }

    /// - Parameter seconds: to wait before, as the relay said.
    func restart(after seconds: Int?) { commands.yield(.restart(retryAfter: seconds)) }

    /// Nobody holds the client any more.
    nonisolated func abandon() {
        Task { await disconnect() }
    }

    @discardableResult
    func request<Body: RequestBody>(_ body: Body) async throws(SessionError) -> Body.Answer {
        guard let request = Request(body) else { throw SessionError(.unknownMethod) }
        guard isInStep else { throw SessionError(.notConnected) }
        guard purposes.count < configuration.requestLimit else {
            throw SessionError(SignalingError(.limitReached, limit: "requestLimit"))
        }
        let result = await withCheckedContinuation { waiting in ask(request, .request(waiting)) }
        do throws(SignalingError) {
            return try Self.read(Body.Answer.self, result).get()
        } catch {
            throw SessionError(error)
        }
    }

    func ask(_ request: Request, _ purpose: Purpose) {
        nextTicket += 1
        let ticket = nextTicket
        purposes[ticket] = purpose
        commands.yield(.send(request, ticket: ticket))
    }

    static func read<Answer: Hashable & Sendable & Codable>(
        _ type: Answer.Type, _ result: Result<[UInt8], SignalingError>
    ) -> Result<Answer, SignalingError> {
        switch result {
        case .failure(let error): return .failure(error)
        case .success(let message):
            do throws(SignalingError) {
                return try ResultMessage<Answer>.read(message)
            } catch {
                return .failure(error)
            }
        }
    }

    // MARK: what the link tells

    /// - Returns: there may be more: the connection is still the one that is wanted.
    private func look(at news: LinkNews, of queue: NewsQueue) async -> Bool {
        guard self.queue === queue else { return false }
        looked = queue
        await take(news)
        guard !isOver else { return false }
        if queue.taken() { restart(after: nil) }
        return true
    }

    /// The connection whose news is being looked at ended while the store was busy with it: nothing more follows from it.
    var isOver: Bool { queue == nil || looked !== queue }

    private func take(_ news: LinkNews) async {
        switch news {
        case .up:
            lose()
            ask(.login(LoginRequest(name: name)), .login)
        case .down:
            lose()
            if board.snapshot.status == .connected { set(.reconnecting) }
        case .ended(let error): end(error)
        case .answer(let ticket, let result):
            guard let purpose = purposes.removeValue(forKey: ticket) else { return }
            await take(result, for: purpose)
        case .event(let event): await take(event)
        }
    }

    private func take(_ result: Result<[UInt8], SignalingError>, for purpose: Purpose) async {
        switch purpose {
        case .login: await take(login: Self.read(LoginRequest.Answer.self, result))
        case .changes: await take(changes: Self.read(ConversationChangesRequest.Answer.self, result))
        case .outgoing(let message):
            await take(Self.read(SendMessageRequest.Answer.self, result), for: message)
        case .request(let waiting): waiting.resume(returning: result)
        }
    }

    func set(_ status: SessionStatus) {
        guard board.snapshot.status != status else { return }
        board.update { $0.status = status }
        board.send(.statusChanged(status))
    }

    /// All that was missed is stored.
    func stepIn() async {
        isInStep = true
        set(.connected)
        entering?.resume(returning: .success(()))
        entering = nil
        await flush()
    }

    /// What was asked and not answered will not be.
    private func lose() {
        isInStep = false
        sending = nil
        retry?.cancel()
        retry = nil
        let lost = purposes.values
        purposes = [:]
        for case .request(let waiting) in lost {
            waiting.resume(returning: .failure(.unanswered))
        }
    }

    /// - Parameter error: nil: the application wants it.
    func end(_ error: SessionError?) {
        lose()
        queue?.finish()
        queue = nil
        if let error { board.send(.didFail(error)) }
        set(error == nil ? .notConnected : .failed)
        entering?.resume(returning: .failure(error ?? SessionError(.notConnected)))
        entering = nil
    }
}
