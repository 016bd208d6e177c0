import Conference
import NIOCore
import Signaling

extension LiveSession {
    /// Carries out one request of a client in the session and answers it.
    ///
    /// - Returns: false if the connection is over and no more messages are accepted.
    func request(_ message: RequestMessage, from id: ConnectionID, _ socket: any ClientChannel) async -> Bool {
        guard let client = clients[id], client.socket === socket else { return false }
        client.hasAsked()
        guard socket.backlog.bytes <= environment.configuration.outbox.unsentBytes else {
            // The client sends requests but does not read the answers.
            perform(conference.disconnect(id, reason: .slowConsumer, now: ControlClock.now))
            return false
        }
        let call = RequestCall(id: message.id, client: client, socket: socket)
        if environment.mayAct() || !message.request.needsTenure {
            await handle(message.request, call)
        } else {
            refuse(call, LiveSessions.unavailable(.unconfirmed, .seconds(1)))
        }
        return clients[id] != nil
    }

    private func handle<Body: RequestBody>(_ request: Body, _ call: RequestCall) async {
        if let handler = SessionHandlers.all[Body.self] {
            await handler(self, request, call)
        } else {
            await applyRules(to: request, call)
        }
    }

    func refuse(_ call: RequestCall, _ error: SignalingError) {
        reply(call.id, Result<Done, SignalingError>.failure(error), on: call.socket)
    }

    /// Answers with the result of the rules. A request that they only allow has a handler, which answers by `finish`.
    func reply<Answer: Hashable & Sendable & Codable>(
        _ call: RequestCall, _ result: Result<Answer?, SignalingError>
    ) {
        let answer: Result<Answer, SignalingError> = result.flatMap { answer in
            answer.map { .success($0) } ?? .failure(SignalingError(.internalError))
        }
        reply(call.id, answer, on: call.socket)
    }

    /// Handles a request that `Conference` carries out alone. In a cluster, a change that survives the loss of this relay is in the store before
    /// it is answered.
    ///
    /// - Parameter waitsForEngine: answers when the engine is done, as for every mute. Events for the sender still follow the answer.
    func applyRules<Body: RequestBody>(to request: Body, _ call: RequestCall, waitsForEngine: Bool = false) async {
        let applied = conference.request(
            request, from: call.client.id, now: ControlClock.now, wallClock: ControlClock.wall)
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
        var failure: SignalingError?
        let request = whenDone { failure = $0 }
        media.answer(request, of: call.client.id, after: ticket)
        await finish(request)
        if failure == nil, waitsForStore, await !isSaved() {
            failure = LiveSessions.unavailable(.unconfirmed, .seconds(1))
        }
        reply(call, failure.map { .failure($0) } ?? applied.result)
        clients.release(call.client)
    }

    /// Handles a request that queues a call to the engine about a stream.
    func applyRules<Body: RequestBody>(to request: Body, ordering stream: StreamID, _ call: RequestCall) async {
        if let objection = objection(toOrdering: stream, for: call.client.id) { return refuse(call, objection) }
        await applyRules(to: request, call)
    }

    /// Checks a request that `Conference` only allows or refuses. Answers a refusal.
    func isAllowed<Body: RequestBody>(_ request: Body, _ call: RequestCall) -> Bool {
        let allowed = conference.request(
            request, from: call.client.id, now: ControlClock.now, wallClock: ControlClock.wall)
        perform(allowed.effects)
        guard case .failure(let error) = allowed.result else { return true }
        refuse(call, error)
        return false
    }

    /// Answers an allowed request.
    func finish<Answer: Hashable & Sendable & Codable>(_ call: RequestCall, _ result: Result<Answer, SignalingError>) {
        reply(call.id, result, on: call.socket)
        if let client = clients[call.client.id] { clients.release(client) }
    }
}

extension Effect {
    fileprivate var isMute: Bool {
        if case .media(.setMuted) = self { true } else { false }
    }
}
