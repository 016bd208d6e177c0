import Messaging
import NIOCore
import Persistence
import Signaling

extension MessageHub {
    /// Carries out a login and answers it. The socket receives the events of all later commits.
    ///
    /// - Returns: false if the login was refused; the socket then receives no more events than before.
    func login(
        _ request: LoginRequest, _ user: UserKey, id: UInt32, _ socket: any ClientChannel
    ) async throws(SignalingError) -> Bool {
        let database = try database()
        // Other users are told of a new name, which has a cost; a login without a name costs nothing.
        try admit(user, isMessage: false, cost: request.name == nil ? 0 : 1)
        // The socket is entered before the commit, so that it misses no later event.
        let isNew = try enter(user, socket)
        let command = MessagingCommand(user: user, action: .login(name: request.name))
        return await write(command, database, id: id, socket) { [self] in
            if isNew { leave(user, socket) }
        }
    }

    /// Carries out a request of a user and answers it.
    func request(
        _ request: MessagingRequest, from user: UserKey, id: UInt32, _ socket: any ClientChannel
    ) async throws(SignalingError) {
        let database = try database()
        var isMessage = false
        if case .sendMessage = request { isMessage = true }
        let command = MessagingCommand(user: user, action: .request(request), newGroup: Secret.id())
        try admit(user, isMessage: isMessage, cost: command.isReading ? 0 : command.cost)
        guard command.isReading else {
            _ = await write(command, database, id: id, socket)
            return
        }
        let answer = await database.read(command)
        statistics.messagesSent(1)
        socket.send([text(answer, id: id)])
    }

    /// Submits a command. The answer and the events that follow it are sent in the order of the commits.
    ///
    /// - Parameter undo: called before a refusal is sent.
    /// - Returns: whether the command was carried out; otherwise the answer is a refusal.
    private func write(
        _ command: MessagingCommand, _ database: MessageDatabase, id: UInt32, _ socket: any ClientChannel,
        undo: @escaping @Sendable () -> Void = {}
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            database.submit(command) { [self] answer in
                let outcome = try? answer.get()
                if let outcome {
                    if case .sent = outcome.answer { stored() }
                    if outcome.cost > command.cost { charge(command.user, cost: outcome.cost - command.cost) }
                } else {
                    undo()
                }
                statistics.messagesSent(1)
                tell(
                    Outbound(
                        deliveries: outcome?.deliveries ?? [], app: command.user.app, origin: socket,
                        reply: text(answer, id: id), told: { continuation.resume(returning: outcome != nil) }))
            }
        }
    }

    private func text(_ answer: MessageDatabase.Answer, id: UInt32) -> ByteBuffer {
        switch answer {
        case .failure(let failure):
            if case .failed(let error) = failure { complain(error) }
            statistics.refused(failure.answer.code)
            return MessageCodec.failure(id, failure.answer)
        case .success(let outcome):
            switch outcome.answer {
            case .done, .swept, .sliceRemoved: return MessageCodec.answer(id, .success(Done()))
            case .loggedIn(let answer): return MessageCodec.answer(id, .success(answer))
            case .sent(let answer): return MessageCodec.answer(id, .success(answer))
            case .conversations(let answer): return MessageCodec.answer(id, .success(answer))
            case .history(let answer): return MessageCodec.answer(id, .success(answer))
            case .changes(let answer): return MessageCodec.answer(id, .success(answer))
            case .group(let group): return MessageCodec.answer(id, .success(group))
            }
        }
    }

    // MARK: removals by the relay

    /// Maximum pause between two slices of a removal, which lets users' messages go first.
    static let pause = Duration.milliseconds(20)

    /// Removes all data of a user and tells other users.
    func remove(_ user: UserKey) async throws(SignalingError) {
        let database = try database()
        while true {
            let start = ContinuousClock.now
            let result = await database.removeSlice(of: user) { [self] in tell($0, app: user.app) }
            await handedOver()
            switch result {
            case .success(true): return
            // A caller waits for the last of many small slices, so a pause is no longer than a slice.
            case .success(false): try? await Task.sleep(for: min(ContinuousClock.now - start, Self.pause))
            case .failure(let failure):
                if case .failed(let error) = failure { complain(error) }
                throw failure.answer
            }
        }
    }

    /// Removes one slice of messages that are too old.
    ///
    /// - Returns: whether there may be more.
    func sweep(_ database: MessageDatabase, olderThan time: Int64?) async -> Bool {
        let result = await database.sweep(olderThan: time) { [self] answer in
            if case .success(let outcome) = answer, case .swept(_, let app) = outcome.answer { tell(answer, app: app) }
        }
        await handedOver()
        switch result {
        case .success(let removed): return removed != nil
        case .failure(.failed(let error)):
            complain(error)
            return false
        case .failure(.refused): return false
        }
    }

    private func tell(_ answer: MessageDatabase.Answer, app: String) {
        guard case .success(let outcome) = answer, !outcome.deliveries.isEmpty else { return }
        tell(Outbound(deliveries: outcome.deliveries, app: app))
    }
}
