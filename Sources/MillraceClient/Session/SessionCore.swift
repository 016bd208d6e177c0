internal import Foundation
internal import MediaBase
internal import Signaling

/// What a session does: runs the machine, its timer and its WebSocket, and keeps media in step with it.
actor SessionCore {
    /// How long the relay has to tell by itself that a peer connection is over, before the client does something about it.
    static let patience = Duration.seconds(1)

    let board: SessionBoard
    let configuration: SessionConfiguration
    private let token: String
    var machine: SessionMachine
    private var socket: (link: Int, connection: WebSocketConnection)?
    private var answers: [UInt64: CheckedContinuation<Result<[UInt8], SignalingError>, Never>] = [:]
    private var nextTicket: UInt64 = 0
    private var entering: CheckedContinuation<Result<Void, SessionError>, Never>?
    private var leaving: CheckedContinuation<Result<Void, SessionError>, Never>?
    /// Those who want to leave while somebody does.
    private var alsoLeaving: [CheckedContinuation<Result<Void, SessionError>, Never>] = []
    private var timer: Task<Void, Never>?
    private var timerAt = MediaTime.never

    // Conversations; see the extensions.
    var messaging: (@Sendable (LinkNews) -> Void)?
    /// Of requests about conversations: the tickets of who asked.
    var messagingTickets: [UInt64: UInt64] = [:]

    // Media; see the extensions.
    var thread: MediaThread?
    var publications: [Publication] = []
    var subscriptions: [StreamID: Subscriber] = [:]
    let publishTurn = Turnstile()
    let answerTurn = Turnstile()
    var latestOffer: OfferMade?
    var answeredRevision: Int?
    var isRepublishing = false
    /// What the relay does not have any more.
    var lostMedia = (publish: false, subscribe: false)

    init(url: String, token: String, configuration: SessionConfiguration, board: SessionBoard) {
        self.board = board
        self.configuration = configuration
        self.token = token
        machine = SessionMachine(url: url, configuration: configuration)
    }

    // MARK: what the application wants

    func connect(name: String, password: String?) async throws(SessionError) {
        guard entering == nil else { throw SessionError(.alreadyJoined) }
        guard let session = configuration.sessionName ?? TokenTopic.read(token) else {
            throw SessionError(.invalidSessionName, "neither the token nor the configuration names a session")
        }
        let entry = SessionMachine.Entry(
            session: session, token: token, name: name, password: password, client: configuration.client)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                entering = waiting
                machine.connect(entry, now: ClientClock.now)
                perform()
            }
        } onCancel: {
            Task { await self.cancelEntering() }
        }
        try result.get()
    }

    private func cancelEntering() {
        guard entering != nil else { return }
        machine.leave(endForAll: false, now: ClientClock.now)
        perform()
    }

    func leave(endForAll: Bool) async throws(SessionError) {
        while leaving != nil {
            let first = await withCheckedContinuation { alsoLeaving.append($0) }
            // What was asked for first has its own result; one that was refused says nothing of this one.
            if case .success = first, !endForAll { return }
        }
        let result = await withCheckedContinuation { waiting in
            leaving = waiting
            machine.leave(endForAll: endForAll, now: ClientClock.now)
            perform()
        }
        try result.get()
    }

    /// Nobody holds the session any more.
    nonisolated func abandon() {
        Task { try? await leave(endForAll: false) }
    }

    @discardableResult
    func request<Body: RequestBody>(_ body: Body) async throws(SessionError) -> Body.Answer {
        guard let request = Request(body) else { throw SessionError(.unknownMethod) }
        return try await answer(Body.Answer.self) { machine, ticket in
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
            let decoded: Result<Answer, SignalingError>
            do {
                decoded = try JSONDecoder().decode(ResultMessage<Answer>.self, from: Data(message)).result
            } catch {
                throw SessionError(.malformedMessage, "the relay's answer cannot be read: \(error)")
            }
            do throws(SignalingError) { return try decoded.get() } catch { throw SessionError(error) }
        }
    }

    // MARK: what the socket and the timer tell

    private func opened(_ connection: WebSocketConnection, link: Int) {
        let isWanted = link == machine.link
        if isWanted { socket = (link, connection) }
        Task { [weak self] in
            let reason = await connection.run { [weak self] message in await self?.received(message, link: link) }
            await self?.closed(link: link, reason: reason)
        }
        guard isWanted else { return connection.close(saysGoodbye: true) }
        machine.opened(link: link, now: ClientClock.now)
        perform()
    }

    private func refused(_ error: SignalingError, link: Int) {
        machine.refused(link: link, error, now: ClientClock.now)
        perform()
    }

    private func received(_ message: [UInt8], link: Int) {
        machine.receive(message, link: link, now: ClientClock.now)
        perform()
    }

    private func closed(link: Int, reason: String) {
        machine.closed(link: link, reason: reason, now: ClientClock.now)
        perform()
    }

    private func timeout() {
        timerAt = .never
        machine.handleTimeout(now: ClientClock.now)
        perform()
    }

    // MARK: what the machine wants

    /// Does what the machine wants, in its order.
    func perform() {
        board.update { snapshot in
            snapshot.status = machine.status
            snapshot.model = machine.model
        }
        while let output = machine.nextOutput() {
            switch output {
            case .open(let url, let link): open(url, link: link)
            case .close(let link, let saysGoodbye):
                guard let current = socket, current.link == link else { continue }
                current.connection.close(saysGoodbye: saysGoodbye)
                socket = nil
            case .send(let message, let link):
                guard let current = socket, current.link == link else { continue }
                current.connection.send(message)
            case .event(let event):
                mediaEvent(event)
                if case .statusChanged(let status) = event { messagingEvent(status) }
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
                    messaging?(.answer(ticket: theirs, result))
                } else {
                    answers.removeValue(forKey: ticket)?.resume(returning: result)
                }
            case .messaging(let event): messaging?(.event(event))
            case .media(let notice): media(notice)
            }
        }
        arm()
    }

    private func open(_ url: String, link: Int) {
        let target: WebSocketTarget
        do throws(SignalingError) {
            target = try WebSocketTarget(url, token: token, configuration.security)
        } catch {
            return machine.refused(link: link, error, now: ClientClock.now)
        }
        Task { [weak self] in
            do throws(SignalingError) {
                let connection = try await WebSocketConnection.open(target)
                guard let self else {
                    connection.close(saysGoodbye: true)
                    _ = await connection.run { _ in }
                    return
                }
                await self.opened(connection, link: link)
            } catch {
                await self?.refused(error, link: link)
            }
        }
    }

    private func arm() {
        let deadline = machine.deadline
        // An earlier wake-up finds nothing to do and arms again.
        guard deadline < timerAt else { return }
        timer?.cancel()
        timerAt = deadline
        guard deadline != .never else { return }
        let wait = max(0, (deadline - ClientClock.now).rawValue)
        timer = Task { [weak self] in
            do { try await Task.sleep(for: .nanoseconds(wait)) } catch { return }
            await self?.timeout()
        }
    }
}
