import Conference
import NIOCore
import Signaling

extension LiveSession {
    /// Carries out one request of a client in the session and answers it.
    ///
    /// - Returns: false if the connection is over and no more messages are accepted.
    func request(_ message: RequestMessage, from id: ConnectionID, _ socket: ClientSocket) async -> Bool {
        guard let client = clients[id], client.socket === socket else { return false }
        guard socket.backlog.bytes <= environment.configuration.outbox.unsentBytes else {
            // The client sends requests but does not read the answers.
            perform(conference.disconnect(id, reason: .slowConsumer, now: ControlClock.now))
            return false
        }
        switch message.request {
        case .join, .resume:
            let error = SignalingError(.alreadyJoined)
            reply(message.id, Result<Done, SignalingError>.failure(error), on: socket)
        case .publish(let request):
            reply(message.id, await publish(request, of: client), on: socket)
            release(client)
        case .answer(let request):
            await decide(message, from: id, socket) { await self.answer(request, of: client) }
        case .restartICE:
            await decide(message, from: id, socket) { await self.restartSubscriber(of: client) }
        case .statistics:
            await decide(message, from: id, socket) { await self.statistics(of: client) }
        case .reportIssue(let request):
            await decide(message, from: id, socket) { await self.report(request, of: client) }
        case .joinSubsession, .returnToMainSession, .answerHelp: await move(message, from: id, socket)
        case .leave, .users, .unpublish, .updateStream, .subscribe, .updateSubscription, .unsubscribe, .signal, .rename,
            .muteUser, .requestUnmute, .setMuted, .forceMuteStream, .forceMuteAll, .disableForceMute, .makeHost,
            .setManager, .removeUser, .lockShare, .subsessions, .commitSubsessions, .withdrawSubsessions,
            .startSubsessions, .stopSubsessions, .broadcast, .requestHelp, .chat, .setChatAllowed, .login, .messaging,
            .ping:
            if let objection = objection(to: message.request, of: client, socket) {
                reply(message.id, Result<Done, SignalingError>.failure(objection), on: socket)
                break
            }
            let answer = conference.request(
                message.request, from: id, now: ControlClock.now, wallClock: ControlClock.wall)
            if message.request.isRemoval || answer.effects.contains(where: \.isMute),
                case .success(let success) = answer.result
            {
                await complete(message.id, success, answer.effects, for: client, socket)
            } else {
                reply(message.id, answer.result, on: socket)
                perform(answer.effects)
            }
        }
        return clients[id] != nil
    }

    func reply(_ request: UInt32, _ result: Result<RequestAnswer, SignalingError>, on socket: ClientSocket) {
        switch result {
        case .failure(let error): reply(request, Result<Done, SignalingError>.failure(error), on: socket)
        case .success(.done): reply(request, .success(Done()), on: socket)
        case .success(.users(let answer)): reply(request, .success(answer), on: socket)
        case .success(.subsessions(let answer)): reply(request, .success(answer), on: socket)
        case .success(.committed(let answer)): reply(request, .success(answer), on: socket)
        case .success(.help(let answer)): reply(request, .success(answer), on: socket)
        case .success(.chat(let answer)): reply(request, .success(answer), on: socket)
        }
    }

    /// Answers when the engine is done: a mute is in force, or a removed participant's transports are closed (USR-12). Events for the
    /// sender still follow the answer.
    private func complete(
        _ request: UInt32, _ success: RequestAnswer, _ effects: [Effect], for client: LiveConnection,
        _ socket: ClientSocket
    ) async {
        client.isHeld = true
        let failure = await outcome(of: begin(effects))
        let result: Result<RequestAnswer, SignalingError> = failure.map { .failure($0) } ?? .success(success)
        reply(request, result, on: socket)
        release(client)
    }

    /// Handles a request that `Conference` only allows or refuses, and that `act` carries out.
    private func decide<Answer: Hashable & Sendable & Codable>(
        _ message: RequestMessage, from id: ConnectionID, _ socket: ClientSocket,
        _ act: () async -> Result<Answer, SignalingError>
    ) async {
        let allowed = conference.request(
            message.request, from: id, now: ControlClock.now, wallClock: ControlClock.wall)
        perform(allowed.effects)
        switch allowed.result {
        case .failure(let error): reply(message.id, Result<Answer, SignalingError>.failure(error), on: socket)
        case .success:
            reply(message.id, await act(), on: socket)
            if let client = clients[id] { release(client) }
        }
    }
}

extension Request {
    fileprivate var isRemoval: Bool {
        if case .removeUser = self { true } else { false }
    }
}

extension Effect {
    fileprivate var isMute: Bool {
        if case .media(.setMuted) = self { true } else { false }
    }
}
