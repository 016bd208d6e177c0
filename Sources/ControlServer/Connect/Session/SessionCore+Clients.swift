import Conference
import Logging
import MediaBase
import NIOCore
import Signaling

extension SessionCore {
    /// Admits a client and answers it before `then` is called. An error is not sent here: the caller answers, and the client may try again.
    ///
    /// - Parameter lease: counts it as a participant.
    func join(
        _ admission: Admission, _ arrival: Arrival, lease: ResourceLease,
        then: @escaping (Result<Void, SignalingError>) -> Void
    ) {
        guard !isForgotten else { return then(.failure(SignalingError(.sessionEnded))) }
        let joined = context.passwords.attempt(
            admission.password, from: arrival.address, token: admission.token, at: key, now: time.now
        ) {
            conference.join(admission, now: time.now, wallClock: time.wall)
        }
        switch joined {
        case .failure(let error):
            forgetIfVacant()
            then(.failure(error))
        case .success(let join):
            let text: ByteBuffer
            do throws(SignalingError) {
                text = try joinAnswers.message(arrival.request, completed(join.answer, for: arrival.socket))
            } catch {
                // The answer is too large for the client, so it cannot know the session's state and does not stay.
                perform(join.effects)
                perform(conference.disconnect(admission.connection, reason: .left, now: time.now))
                return then(.failure(error))
            }
            let client = LiveConnection(
                id: admission.connection, resumeKey: Secret.key(ofResumeToken: admission.resumeToken),
                program: arrival.program,
                reporter: "\(admission.token?.rawValue ?? "") \(arrival.address)", lease: lease,
                socket: arrival.socket, outbox: context.configuration.outbox, resources: context.resources)
            // The answer precedes all events.
            client.isHeld = true
            clients.add(client)
            media.join(client.id)
            arrival.socket.enterSession()
            arrival.socket.count(for: lease.holder, in: context.resources)
            let decides = noteState().rules || conference.host == client.id
            perform(join.effects)
            guard decides else {
                welcome(client, text, admission, arrival)
                return then(.success(()))
            }
            whenSaved { [self] isSaved in
                guard isSaved else {
                    // The client gets an error, and tries again.
                    client.socket = nil
                    perform(conference.disconnect(client.id, reason: .left, now: time.now))
                    return then(.failure(LiveSessions.unavailable(.unconfirmed, .seconds(1))))
                }
                welcome(client, text, admission, arrival)
                then(.success(()))
            }
        }
    }

    /// Sends the answer to a join, and the events since then.
    private func welcome(_ client: LiveConnection, _ text: ByteBuffer, _ admission: Admission, _ arrival: Arrival) {
        // The connection may have ended in the meantime.
        guard clients[client.id] === client else { return }
        context.statistics.messagesSent(1)
        arrival.socket.send([text])
        clients.release(client)
        context.statistics.joined(after: time.now - arrival.at)
        logger.info(
            "client joined",
            metadata: [
                "connection": "\(admission.connection)", "identity": "\(admission.identity ?? "")",
                "program": "\(arrival.program ?? "")",
            ])
    }

    /// Adds the fields that only the relay knows to the answer of `Conference`.
    func completed(_ answer: JoinAnswer, for socket: any ClientChannel) -> JoinAnswer {
        var answer = answer
        answer.iceServers = context.iceServers
        answer.transports = socket.isConfidential ? [.native, .webRTC] : [.webRTC]
        answer.videoCodecs = context.configuration.videoCodecs.map(\.rawValue)
        answer.pingInterval = Int(context.configuration.pingInterval / .milliseconds(1))
        return answer
    }

    /// Handles the loss of a socket without a close. The connection waits for its client (CON-3).
    func lost(_ id: ConnectionID, _ socket: any ClientChannel) {
        guard let client = clients[id], client.socket === socket else { return }
        client.socket = nil
        client.outbox.detach()
        client.settleQueue()
        logger.info("client lost", metadata: ["connection": "\(id)"])
        perform(conference.drop(id, now: time.now))
    }

    /// Ends a connection for good, on behalf of its own socket.
    func disconnect(_ id: ConnectionID, _ socket: any ClientChannel, reason: DisconnectReason) {
        guard let client = clients[id], client.socket === socket else { return }
        perform(conference.disconnect(id, reason: reason, now: time.now))
    }

    func reply<Answer: Hashable & Sendable & Codable>(
        _ request: UInt32, _ result: Result<Answer, SignalingError>, on socket: any ClientChannel
    ) {
        if case .failure(let error) = result { context.statistics.refused(error.code) }
        context.statistics.messagesSent(1)
        socket.send([MessageCodec.answer(request, result)])
    }
}
