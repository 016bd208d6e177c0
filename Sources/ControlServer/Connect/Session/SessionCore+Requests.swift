import Conference
import NIOCore
import Signaling

extension SessionCore {
    /// Carries out one request of a client in the session and answers it.
    ///
    /// - Parameter then: called when it is answered; with false if the connection is over and no more messages are accepted.
    func request(
        _ message: RequestMessage, from id: ConnectionID, _ socket: any ClientChannel,
        then: @escaping (Bool) -> Void
    ) {
        guard let client = clients[id], client.socket === socket else { return then(false) }
        client.hasAsked()
        guard socket.backlog.bytes <= context.configuration.outbox.unsentBytes else {
            // The client sends requests but does not read the answers.
            perform(conference.disconnect(id, reason: .slowConsumer, now: time.now))
            return then(false)
        }
        let call = RequestCall(id: message.id, client: client, socket: socket) { [self] in then(clients[id] != nil) }
        if context.mayAct || !message.request.needsTenure {
            handle(message.request, call)
        } else {
            refuse(call, LiveSessions.unavailable(.unconfirmed, .seconds(1)))
        }
    }

    private func handle<Body: RequestBody>(_ request: Body, _ call: RequestCall) {
        if let handler = SessionHandlers.all[Body.self] {
            handler(self, request, call)
        } else {
            applyRules(to: request, call)
        }
    }

    // MARK: answers

    func refuse(_ call: RequestCall, _ error: SignalingError) {
        respond(to: call, with: Result<Done, SignalingError>.failure(error))
    }

    /// Answers a request, and sends its sender the events that were held until then.
    func finish<Answer: Hashable & Sendable & Codable>(_ call: RequestCall, _ result: Result<Answer, SignalingError>) {
        respond(to: call, with: result)
        if let client = clients[call.client.id] { clients.release(client) }
    }

    private func respond<Answer: Hashable & Sendable & Codable>(
        to call: RequestCall, with result: Result<Answer, SignalingError>
    ) {
        reply(call.id, result, on: call.socket)
        call.answered()
    }

    /// Answers with the result of the rules. A request that they only allow has a handler, which answers by `finish`.
    func reply<Answer: Hashable & Sendable & Codable>(
        _ call: RequestCall, _ result: Result<Answer?, SignalingError>
    ) {
        let answer: Result<Answer, SignalingError> = result.flatMap { answer in
            answer.map { .success($0) } ?? .failure(SignalingError(.internalError))
        }
        respond(to: call, with: answer)
    }

    // MARK: rules

    /// Handles a request that `Conference` carries out alone. In a cluster, a change that survives the loss of this relay is in the store before
    /// it is answered.
    ///
    /// - Parameter waitsForEngine: answers when the engine is done, as for every mute. Events for the sender still follow the answer.
    func applyRules<Body: RequestBody>(to request: Body, _ call: RequestCall, waitsForEngine: Bool = false) {
        let applied = conference.request(
            request, from: call.client.id, now: time.now, wallClock: time.wall)
        let changes = noteState()
        // A client that leaves gets its answer before its connection is closed.
        let waitsForStore = !changes.isEmpty && conference.user(call.client.id) != nil
        guard waitsForStore || waitsForEngine || applied.effects.contains(where: \.isMute),
            case .success = applied.result
        else {
            reply(call, applied.result)
            return perform(applied.effects)
        }
        call.client.isHeld = true
        let ticket = media.lastTicket
        perform(applied.effects)
        let conclude: (SignalingError?) -> Void = { [self] failure in
            reply(call, failure.map { .failure($0) } ?? applied.result)
            clients.release(call.client)
        }
        let request = whenDone { [self] failure in
            guard failure == nil, waitsForStore else { return conclude(failure) }
            whenSaved { conclude($0 ? nil : LiveSessions.unavailable(.unconfirmed, .seconds(1))) }
        }
        media.answer(request, of: call.client.id, after: ticket)
        continueMedia()
    }

    /// Handles a request that queues a call to the engine about a stream.
    func applyRules<Body: RequestBody>(to request: Body, ordering stream: StreamID, _ call: RequestCall) {
        if let objection = objection(toOrdering: stream, for: call.client.id) { return refuse(call, objection) }
        applyRules(to: request, call)
    }

    /// Checks a request that `Conference` only allows or refuses. Answers a refusal.
    func isAllowed<Body: RequestBody>(_ request: Body, _ call: RequestCall) -> Bool {
        let allowed = conference.request(
            request, from: call.client.id, now: time.now, wallClock: time.wall)
        perform(allowed.effects)
        guard case .failure(let error) = allowed.result else { return true }
        refuse(call, error)
        return false
    }
}

extension Effect {
    fileprivate var isMute: Bool {
        if case .media(.setMuted) = self { true } else { false }
    }
}
