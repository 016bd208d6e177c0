import Conference
import SessionMedia
import Signaling

/// Requests of clients about their peer connections and locations.
extension SessionCore {
    /// Handles an offer of a client's publish peer connection: the first, or one that changes its tracks or restarts ICE.
    func publish(_ body: PublishRequest, _ call: RequestCall) {
        let request = requests.makeID()
        requests.add(request) { [self] (result: Result<PublishRequest.Answer, MediaRefusal>) in
            switch result {
            case .success(let answer): finish(call, .success(answer))
            case .failure(let refusal): refuse(call, error(refusal) ?? SignalingError(.internalError))
            }
            clients.release(call.client)
        }
        media.publish(
            body, of: call.client.id, takesKeys: call.socket.isConfidential,
            videoCodecs: context.configuration.videoCodecs, request)
        continueMedia()
    }

    /// Sets the transport that a client chooses with its first subscription.
    func choose(_ transport: MediaTransport, for client: ConnectionID, _ socket: any ClientChannel) -> SignalingError? {
        let (present, isOpen) = media.subscribeTransport(of: client)
        if isOpen {
            return present == transport
                ? nil
                : SignalingError(
                    .invalidField, "the peer connection exists already, with \(present.rawValue)", field: "transport")
        }
        switch transport {
        case .native: guard socket.isConfidential else { return SignalingError.readableKeys }
        case .webRTC: break
        default: return SignalingError(.invalidField, "\(transport.rawValue) is not known", field: "transport")
        }
        media.choose(transport, for: client)
        return nil
    }

    /// Returns an error if too many streams of the client have queued changes.
    func objection(toOrdering stream: StreamID, for client: ConnectionID) -> SignalingError? {
        let limit = context.configuration.mediaOrders
        guard !media.maySubscribe(client, stream, limit: limit) else { return nil }
        return SignalingError(
            .limitReached, "\(limit) streams wait for the media engine", limit: "limit.mediaOrders", retryAfter: 1)
    }

    /// Handles a client's answer to the relay's offer.
    func answer(_ body: AnswerRequest, _ call: RequestCall) {
        let request = whenDone { [self] in finish(call, $0.map { .failure($0) } ?? .success(Done())) }
        media.answer(body, of: call.client.id, request)
        continueMedia()
    }

    func restartSubscriber(_ call: RequestCall) {
        let request = whenDone { [self] in finish(call, $0.map { .failure($0) } ?? .success(Done())) }
        media.restartSubscriber(of: call.client.id, request)
        continueMedia()
    }

    /// Handles a request that may move its sender (SUB-3). The engine stops media between clients that the move separates before anyone is
    /// notified.
    func move<Body: RequestBody>(_ body: Body, _ call: RequestCall) {
        let id = call.client.id
        guard let location = conference.destination(of: body, from: id, now: time.now) else {
            return moved(body, call)
        }
        let request = whenDone { [self] _ in moved(body, call) }
        media.move(id, to: location, request)
        continueMedia()
    }

    private func moved<Body: RequestBody>(_ body: Body, _ call: RequestCall) {
        let id = call.client.id
        let moved = conference.request(body, from: id, now: time.now, wallClock: time.wall)
        // Takes the move back if the request was refused.
        media.relocate([id], to: conference.location(of: id))
        reply(call, moved.result)
        perform(moved.effects)
    }
}
