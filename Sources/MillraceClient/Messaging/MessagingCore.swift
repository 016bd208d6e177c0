import MediaBase
import Signaling

/// Runs a messaging client: logs in, synchronizes the store with the relay, and sends queued messages.
///
/// Notifications of the link are handled one at a time, and each is stored before the next one. The client therefore applies
/// answers and events in the relay's order.
actor MessagingCore {
    enum Purpose {
        case login
        case changes
        case outgoing(OutgoingMessage)
        case request(CheckedContinuation<Result<[UInt8], SignalingError>, Never>)
    }

    /// Number of changes requested at a time.
    static let changesCount = 100

    let store: ConversationStore
    let board: MessagingBoard
    let configuration: MessagingConfiguration
    /// Commands to the link, executed in order.
    private let commands: AsyncStream<LinkCommand>.Continuation
    private var name: String?
    /// Notifications of the current connection; nil if the application wants none.
    private var queue: NewsQueue?
    /// Queue whose notifications are being handled. Only one is handled at a time: those of a former connection are finished
    /// before the next connection's first.
    private var looked: NewsQueue?
    private var looking: Task<Void, Never>?
    private var entering: CheckedContinuation<Result<Void, SessionError>, Never>?
    private var nextTicket: UInt64 = 0
    var purposes: [UInt64: Purpose] = [:]
    /// Whether the client is logged in and all missed changes are stored.
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

    // MARK: requests of the application

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
        // Waits for the last write to the store, so that another client can use the store afterwards.
        await looking?.value
    }

    /// Ends the given connection, unless it has been replaced by another one.
    /// - Parameter error: reason; nil if the application disconnects.
    private func leave(_ leaving: NewsQueue, _ error: SessionError?) async {
        guard queue === leaving else { return }
        await withCheckedContinuation { (closed: CheckedContinuation<Void, Never>) in
            _ = commands.yield(.close(closed))
        }
        guard queue === leaving else { return }
        end(error)
    }

    /// Ends the connection after a permanent error: the relay refused the user, or the store cannot be written.
    func failed(_ error: SessionError) async {
        guard let queue, !isOver else { return }
        await leave(queue, error)
    }

    /// - Parameter seconds: delay requested by the relay.
    func restart(after seconds: Int?) { commands.yield(.restart(retryAfter: seconds)) }

    /// Disconnects when the application has released its last reference.
    nonisolated func abandon() {
        Task { await disconnect() }
    }

    @discardableResult
    func request<Body: RequestBody>(_ request: Body) async throws(SessionError) -> Body.Answer {
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

    func ask(_ request: any RequestBody, _ purpose: Purpose) {
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

    // MARK: notifications of the link

    /// Handles one notification.
    /// - Returns: false if the connection has ended or been replaced, so that no further notification of this queue matters.
    private func look(at news: LinkNews, of queue: NewsQueue) async -> Bool {
        guard self.queue === queue else { return false }
        looked = queue
        await take(news)
        guard !isOver else { return false }
        if queue.taken() { restart(after: nil) }
        return true
    }

    /// Whether the connection being handled ended during a store operation; its remaining results are ignored.
    var isOver: Bool { queue == nil || looked !== queue }

    private func take(_ news: LinkNews) async {
        switch news {
        case .up:
            lose()
            ask(LoginRequest(name: name), .login)
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

    /// Switches to `connected` after all missed changes have been stored.
    func stepIn() async {
        isInStep = true
        set(.connected)
        entering?.resume(returning: .success(()))
        entering = nil
        await flush()
    }

    /// Fails all pending requests after the connection was lost.
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

    /// Ends the connection.
    /// - Parameter error: reason; nil if the application disconnects.
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
