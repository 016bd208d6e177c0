import MediaBase
import SFrame
import Signaling

/// Runs a session's state machine with its timer and WebSocket, and keeps media consistent with its state.
actor SessionCore: SocketDriver {
    /// Time in which the relay can report by itself that a peer connection has ended, before the client acts.
    static let patience = Duration.seconds(1)

    let board: SessionBoard
    let configuration: SessionConfiguration
    private let token: String
    var machine: SessionMachine
    var line = SocketLine()
    private var answers: [UInt64: CheckedContinuation<Result<[UInt8], SignalingError>, Never>] = [:]
    private var nextTicket: UInt64 = 0
    private var entering: CheckedContinuation<Result<Void, SessionError>, Never>?
    private var leaving: CheckedContinuation<Result<Void, SessionError>, Never>?
    /// Callers of `leave` that wait for a `leave` already in progress.
    private var alsoLeaving: [CheckedContinuation<Result<Void, SessionError>, Never>] = []

    // Conversations; see the extensions.
    var messaging: MessagingSeat?
    /// True if the last notification to the messaging link was `up`.
    var isMessagingUp = false
    /// Delay until conversations are read again.
    var messagingRestart: Task<Void, Never>?
    /// Tickets of the messaging link's requests, by this session's tickets.
    var messagingTickets: [UInt64: UInt64] = [:]

    // Media; see the extensions.
    var thread: MediaThread?
    /// Options of the latest join.
    var options = JoinOptions()
    var publications: [Publication] = []
    var subscriptions: [StreamID: Subscriber] = [:]
    let publishTurn = Turnstile()
    let answerTurn = Turnstile()
    var latestOffer: OfferMade?
    var answeredRevision: Int?
    var isRepublishing = false
    /// Directions for which the application has been told that there is no path.
    var pathless: Set<MediaDirection> = []
    /// Directions whose publications or subscriptions the relay has lost.
    var lostMedia = (publish: false, subscribe: false)
    /// Subscriptions that the relay has taken over from one that died; nil: all, or none.
    var continued: Set<StreamID>?
    /// Secret of end-to-end encryption; nil: streams are published without.
    var encryption: EncryptionSecret?

    init(url: String, token: String, configuration: SessionConfiguration, board: SessionBoard) {
        self.board = board
        self.configuration = configuration
        self.token = token
        machine = SessionMachine(url: url, configuration: configuration)
    }

    // MARK: requests of the application

    func connect(name: String, password: String?, options: JoinOptions) async throws(SessionError) {
        guard entering == nil else { throw SessionError(.alreadyJoined) }
        guard !options.agreesOnKeys || encryption == nil else {
            throw SessionError(.invalidField, "a secret was set, so that no keys are agreed on", field: "agreesOnKeys")
        }
        let session = try sessionName()
        let entry = SessionMachine.Entry(
            session: session, token: token, name: name, password: password, client: configuration.client,
            media: options.media, requiresEncryption: options.requiresEncryption ? true : nil,
            agreesOnKeys: options.agreesOnKeys)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                entering = waiting
                switch machine.phase {
                case .idle, .failed, .asking: self.options = options
                case .opening, .entering, .connected, .waiting, .leaving: break
                }
                machine.connect(entry, now: ClientClock.now)
                perform()
            }
        } onCancel: {
            Task { await self.cancelEntering() }
        }
        try result.get()
    }

    func sessionName() throws(SessionError) -> String {
        guard let name = configuration.sessionName ?? TokenTopic.read(token) else {
            throw SessionError(.invalidSessionName, "neither the token nor the configuration names a session")
        }
        return name
    }

    private func cancelEntering() {
        guard entering != nil else { return }
        machine.leave(endForAll: false, now: ClientClock.now)
        perform()
    }

    func leave(endForAll: Bool) async throws(SessionError) {
        while leaving != nil {
            let first = await withCheckedContinuation { alsoLeaving.append($0) }
            // The first call gets its own result; if it was refused, this call still has to leave.
            if case .success = first, !endForAll { return }
        }
        let result = await withCheckedContinuation { waiting in
            leaving = waiting
            machine.leave(endForAll: endForAll, now: ClientClock.now)
            perform()
        }
        try result.get()
    }

    /// Leaves the session when the application has released its last reference.
    nonisolated func abandon() {
        Task { try? await leave(endForAll: false) }
    }

    @discardableResult
    func request<Body: RequestBody>(_ request: Body) async throws(SessionError) -> Body.Answer {
        try await answer(Body.Answer.self) { machine, ticket in
            machine.request(request, ticket: ticket, now: ClientClock.now)
        }
    }

    func signal(_ signal: SignalRequest, retries: Bool) async throws(SessionError) {
        _ = try await answer(Done.self) { machine, ticket in
            machine.signal(signal, retries: retries, ticket: ticket, now: ClientClock.now)
        }
    }

    func takeTicket() -> UInt64 {
        nextTicket += 1
        return nextTicket
    }

    private func answer<Answer: Hashable & Sendable & Codable>(
        _ type: Answer.Type, _ ask: (inout SessionMachine, UInt64) -> Void
    ) async throws(SessionError) -> Answer {
        let ticket = takeTicket()
        let result = await withCheckedContinuation { waiting in
            answers[ticket] = waiting
            ask(&machine, ticket)
            perform()
        }
        switch result {
        case .failure(let error): throw SessionError(error)
        case .success(let message):
            do throws(SignalingError) {
                return try ResultMessage<Answer>.read(message).get()
            } catch {
                throw SessionError(error)
            }
        }
    }

    // MARK: outputs of the machine

    /// Performs the machine's outputs in order.
    func perform() {
        board.update { snapshot in
            snapshot.status = machine.status
            snapshot.model = machine.model
        }
        while let output = machine.nextOutput() {
            switch output {
            case .open(let url, let link): open(url, token: token, configuration.security, link: link)
            case .close(let link, let saysGoodbye): line.close(link: link, saysGoodbye: saysGoodbye)
            case .send(let message, let link): line.send(message, link: link)
            case .event(let event):
                mediaEvent(event)
                messagingEvent(event)
                board.send(event)
            case .entered(let result):
                entering?.resume(returning: result)
                entering = nil
            case .left(let result):
                leaving?.resume(returning: result)
                leaving = nil
                for waiting in alsoLeaving { waiting.resume(returning: result) }
                alsoLeaving = []
            case .answer(let ticket, let result):
                if let theirs = messagingTickets.removeValue(forKey: ticket) {
                    messaging?.news(.answer(ticket: theirs, result))
                } else {
                    answers.removeValue(forKey: ticket)?.resume(returning: result)
                }
            case .messaging(let event): messaging?.news(.event(event))
            case .media(let notice): media(notice)
            }
        }
        arm()
    }
}
