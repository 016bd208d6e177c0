internal import Foundation
internal import MediaBase
internal import Signaling

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
    let link: any MessagingLink
    /// Nil: it came with the link's own connection.
    private let token: String?
    private var name: String?
    private var queue: NewsQueue?
    private var looking: Task<Void, Never>?
    private var entering: CheckedContinuation<Result<Void, SessionError>, Never>?
    private var nextTicket: UInt64 = 0
    var purposes: [UInt64: Purpose] = [:]
    /// Logged in, and all that was missed is stored.
    var isInStep = false
    var sending: OutgoingMessage?
    var retry: Task<Void, Never>?

    init(
        link: any MessagingLink, token: String?, store: ConversationStore, configuration: MessagingConfiguration,
        board: MessagingBoard
    ) {
        self.link = link
        self.token = token
        self.store = store
        self.configuration = configuration
        self.board = board
    }

    // MARK: what the application wants

    func connect(name: String?) async throws(SessionError) {
        let status = board.snapshot.status
        guard status == .notConnected || status == .failed else { throw SessionError(.alreadyJoined) }
        self.name = name
        set(.connecting)
        let queue = NewsQueue(limit: configuration.newsLimit)
        self.queue = queue
        looking?.cancel()
        looking = Task { [weak self] in
            for await news in queue.reading {
                guard let self else { return }
                await self.take(news)
                if queue.taken() { await self.link.restart(retryAfter: nil) }
            }
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                entering = waiting
                Task { await link.open { queue.push($0) } }
            }
        } onCancel: {
            Task { await self.disconnect() }
        }
        try result.get()
    }

    func disconnect() async {
        guard queue != nil else { return }
        await link.close()
        end(nil)
    }

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
        Task { await link.send(request, ticket: ticket) }
    }

    static func read<Answer: Hashable & Sendable & Codable>(
        _ type: Answer.Type, _ result: Result<[UInt8], SignalingError>
    ) -> Result<Answer, SignalingError> {
        switch result {
        case .failure(let error): return .failure(error)
        case .success(let message):
            do {
                return try JSONDecoder().decode(ResultMessage<Answer>.self, from: Data(message)).result
            } catch {
                return .failure(SignalingError(.malformedMessage, "the relay's answer cannot be read: \(error)"))
            }
        }
    }

    // MARK: what the link tells

    private func take(_ news: LinkNews) async {
        switch news {
        case .up:
            lose()
            ask(.login(LoginRequest(token: token, name: name)), .login)
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
            waiting.resume(
                returning: .failure(SignalingError(.notConnected, "the connection was lost before the answer came")))
        }
    }

    /// - Parameter error: nil: the application wants it.
    func end(_ error: SessionError?) {
        lose()
        queue?.finish()
        queue = nil
        looking = nil
        if let error { board.send(.didFail(error)) }
        set(error == nil ? .notConnected : .failed)
        entering?.resume(returning: .failure(error ?? SessionError(.notConnected)))
        entering = nil
    }
}
